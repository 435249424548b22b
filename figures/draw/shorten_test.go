package draw

import "testing"

// The paths were converted by hand: a step ends where the place that it replaces is, after rounding. Curves and texts stay.
func TestShorten(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{` d="M10.5,20L11.254,19.756L11.254,30.1ZM0,0.004L-0.5,100"`, ` d="M10.5 20l.75-.24 0 10.34ZM0 0l-.5 100"`},
		{` d="M1,2L3,4A5,5 0 0 1 6,7"`, ` d="M1,2L3,4A5,5 0 0 1 6,7"`},
		{`>M1,2L3,4<`, `>M1,2L3,4<`},
		// Corners that are nearer than 0.1 points to the rest are left out; a way back on the same line is not.
		{` d="M0,0L1,0.08L2,0L3,0.1L4,0"`, ` d="M0 0l3 .1 1-.1"`},
		{` d="M0,0L5,0L2,0L0,3Z"`, ` d="M0 0l5 0-3 0-2 3Z"`},
	} {
		if got := string(shorten([]byte(c.path))); got != c.want {
			t.Errorf("%s became %s, want %s", c.path, got, c.want)
		}
	}
}
