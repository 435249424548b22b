package phe

import (
	_ "github.com/go-gota/gota/dataframe"
	_ "github.com/gomlx/compute/gobackend"
	_ "github.com/gomlx/go-xla/compute/xla"
	_ "github.com/gomlx/gomlx/core/graph"
	_ "github.com/gomlx/gomlx/ml/model"
	_ "github.com/gomlx/gomlx/ml/train"
	_ "github.com/gomlx/gomlx/ml/train/optimizer"
	_ "github.com/pkg/errors"
	_ "github.com/schollz/progressbar/v3"
	_ "github.com/spf13/cobra"
	_ "gonum.org/v1/gonum/stat/distuv"
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgsvg"
)
