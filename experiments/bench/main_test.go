package bench

import (
	"os"
	"testing"

	"gophe/experiments/fixture"
)

func TestMain(m *testing.M) { os.Exit(fixture.Main(m)) }
