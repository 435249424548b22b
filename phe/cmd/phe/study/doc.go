// Package study has the commands that run the paper's experiments and show their results.
//
// The order is an experiment's: flags of several commands, runs, what is shown of them, and the machine and the data below all.
//
// Files, lowest first: flags run sweep reproduce show figure bench doctor data study.
package study
