// Package bench times programs that train the paper's models: this one, and rivals in other frameworks. It exports the workloads for the
// rivals, runs them, keeps the lines of the table of `phe bench`, and prints the table.
//
// To time one workload call New, then Workload.Time or Workload.Export. To measure the table call Works, Bench.Run and Table.
package bench

// Measurement is the time that one program took for one workload, and the scores that it reached. Seconds are wall time
// without compilation. Megabytes are 10⁶ bytes.
type Measurement struct {
	Framework string `json:"framework"` // gophe, jax, torch-eager or torch-compile
	Version   string `json:"version,omitempty"`
	Backend   string `json:"backend"` // xla:cpu, xla:cuda or go; of a rival cpu or gpu
	Device    string `json:"device,omitempty"`

	Task   string `json:"task"`
	Scheme string `json:"scheme"`
	Seeds  int    `json:"seeds"` // side by side
	Batch  int    `json:"batch"`
	Rows   int    `json:"rows"`   // of table E (B)
	Steps  int    `json:"steps"`  // of the initial phase
	Chunks int    `json:"chunks"` // of the stream: predicted, scored and learned

	Seconds        float64 `json:"seconds"`        // of the steps
	StreamSeconds  float64 `json:"stream_seconds"` // of the chunks
	CompileSeconds float64 `json:"compile_seconds"`
	CPUSeconds     float64 `json:"cpu_seconds"` // user and system, of the whole process
	// Processor time of the parts; null where a part is too short to tell it from compilation.
	CPUStepSeconds    *float64 `json:"cpu_step_seconds"`
	CPUStreamSeconds  *float64 `json:"cpu_stream_seconds"`
	CPUCompileSeconds *float64 `json:"cpu_compile_seconds"`

	// Medians of the calls that compiled nothing.
	StepMedian float64 `json:"-"` // seconds of a step
	RowMedian  float64 `json:"-"` // seconds of a row of the stream

	PeakDeviceMB *float64           `json:"peak_device_mb"` // null on a processor
	PeakHostMB   float64            `json:"peak_host_mb"`
	Scores       map[string]float64 `json:"scores"` // means over the seeds, and under NAME_sd their standard deviations
}
