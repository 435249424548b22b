package bench

import (
	"os"
	"testing"

	"gophe/experiments/result/fixture"
)

func TestMain(m *testing.M) { os.Exit(fixture.Main(m)) }
