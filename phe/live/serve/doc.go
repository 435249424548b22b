// Package serve answers HTTP requests by a learner of a stream: forecasts, learning, and labels that come later under an id.
//
// A request that changes the model is first written to a journal and answered after the journal is synced to the disk. Requests that
// come at the same time share a sync. One goroutine applies them in the journal's order. After a restart the server replays the part of
// the journal that the last checkpoint lacks, and the model has the same bits. A request with a key counts once, even if it is sent
// several times.
//
// The model is a checkpoint of package driver: `phe stream`, `phe predict` and `phe inspect` read it.
//
// A program calls Open and then Server.Run, which serves until its context ends and closes the server. Run does both, and answers from the
// first moment. With a server of its own a program mounts Server.Handler, and calls Server.Close. Peek reads a model without a server.
//
// Follow makes a server of a model that another program learns. It only forecasts. Each answer has the number of the checkpoint by which it
// forecasts. With Options.ReadOnly, Open does so for a model's file, and changes no file.
//
// Files, lowest first: answer keys options operation seats request layout disk durable peek state metrics handlers
// handle server run. They lead from an answer's words to the network, by a request's body and the model on its disk.
package serve
