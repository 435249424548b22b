package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/spf13/cobra"

	"gophe/phe/cmd/phe/streaming"
)

// phe is the command that the harness measures: this test program, which acts as phe in its children.
var phe = os.Args[0]

// asPhe is the variable that makes this test program act as phe.
const asPhe = "GOPHE_TEST_STREAMS_PHE"

func TestMain(m *testing.M) {
	if os.Getenv(asPhe) == "" {
		os.Setenv(asPhe, "yes")
		os.Exit(m.Run())
	}
	root := &cobra.Command{Use: "phe", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(streaming.Commands()...)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
