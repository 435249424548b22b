package stream

import "flag"

var update = flag.Bool("update", false, "write testdata anew")
