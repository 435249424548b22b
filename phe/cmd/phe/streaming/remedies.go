package streaming

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/source"
	"gophe/phe/records"
	"gophe/phe/remedy"
	"gophe/phe/stream/schema"
)

// Commands returns the commands. Their errors name the flags that help.
func Commands() []*cobra.Command {
	return WithRemedies(streamCommand(), predictCommand(), evalCommand(), inspectCommand(), serveCommand(), feedCommand(), clusterCommand())
}

// remedies holds the end of an error that names the flags that help. The keys are the remedies that the libraries give their errors.
var remedies = map[string]string{
	"accept altered":        ", or accept it with --allow-altered",
	"append":                ", or --append if its records are new",
	"bad message":           "; --bad skip leaves it out",
	"begin anew":            ", or start again with --force",
	"blanks":                " (--delimiter ' ' --no-header)",
	"classes":               " (--classes, --target)",
	"classes or kind":       " with --classes a,b or --as number" + howRead,
	"classes or target":     " (--classes, --target)" + howRead,
	"clock":                 " (--time COLUMN)",
	"condition":             " (--where)",
	"fewer interactions":    ", or --interactions fm or none",
	"delimiter":             "; if another character parts the fields, name it (--delimiter)",
	"fields":                " (--columns)",
	"folder":                "; name a folder with --to",
	"from the beginning":    " (--again)",
	"gap":                   "; --bad skip goes on behind the missing messages",
	"go backend":            "; or use --backend go, which needs no plugin",
	"id":                    " (--id)",
	"keep":                  ", or keep one with --keep COLUMN",
	"learn alone":           ", or learn this file in a command of its own with --again and the same --model, which leaves the column out",
	"learn again":           ", or learn the file from its first record with --again",
	"learn again if new":    ", or learn the file from its first record with --again if its records are new to the model",
	"learn once more":       "; --again learns it once more",
	"lose journal":          ", or start `phe serve` once with --lose-journal, which goes on without the requests that only the journal has",
	"make a model":          "; `phe stream FILE --target COLUMN` makes one",
	"make or begin a model": "; `phe stream FILE --target COLUMN` makes one, and --schema begins an empty one",
	"memory":                "; give more --memory, or --interactions none",
	"new forecasts":         ", leave out --predictions, or begin the forecasts anew with --overwrite",
	"newer program":         " (`phe --version` prints this one's)",
	"no classes":            " (--classes, --as)",
	"no GPU":                "; --backend xla:cpu needs no GPU",
	"no interactions":       ", or --interactions none",
	"number":                " (--as number)",
	"other settings":        "; leave the flag out, name another model (--model, --store), or start again (--force)",
	"other model":           " (phe stream … --model NEW)",
	"other output":          "; name another file with --predictions",
	"output exists":         "; name another file with --predictions, or replace it with --overwrite",
	"overwrite":             ", or replace it with --overwrite",
	"overwrite forecasts":   ", or begin the forecasts anew with --overwrite",
	"read only":             "; --read-only forecasts without a lock",
	"renamed":               ", or add --follow if it was renamed, or learn the file from its first record with --again",
	"row name":              " (--id), or only repeat it with --ids 0",
	"schema":                ", or leave the flag out",
	"secret":                ", and give --nats-user with " + passwordVariable + ", or " + natsVariable + ", or --nats-creds",
	"show schema":           "; `phe stream FILE --target COLUMN --show-schema` prints a schema to start from",
	"target":                " (--target)",
	"transform":             " (--target)",
	"values":                howRead,
	"wait":                  ", or wait for them with --follow",
	"words":                 " (--multi 'COLUMN= ')",
}

const howRead = "; " + remedy.HowRead

// remedied is an error with the flags that help.
type remedied struct {
	error
	how string
}

// Error returns the error's text and how to help.
func (e remedied) Error() string { return e.error.Error() + e.how }

// Unwrap returns the error without the flags.
func (e remedied) Unwrap() error { return e.error }

// Format formats the error, with its stack for %+v.
func (e remedied) Format(s fmt.State, verb rune) {
	fmt.Fprintf(s, fmt.FormatString(s, verb)+"%s", e.error, e.how)
}

// flagName finds the flags in a remedy.
var flagName = regexp.MustCompile(`--([a-z-]+)`)

// has reports whether a command has the flags of a remedy. A remedy that names a command always fits.
func has(c *cobra.Command, how string) bool {
	for _, flag := range flagName.FindAllStringSubmatch(how, -1) {
		if c.Flags().Lookup(flag[1]) == nil && !strings.Contains(how, "phe ") {
			return false
		}
	}
	return true
}

// WithRemedies makes the errors of commands, and of the commands below them, end by the flags that help.
func WithRemedies(commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		if run := c.RunE; run != nil {
			c.RunE = func(c *cobra.Command, args []string) error { return withRemedies(c, run(c, args)) }
		}
		WithRemedies(c.Commands()...)
	}
	return commands
}

// withRemedies returns err with the flags of the command that help.
func withRemedies(c *cobra.Command, err error) error {
	if errors.As(err, new(source.Early)) {
		fmt.Fprintln(c.ErrOrStderr(), "phe:", err)
	}
	hows := []string{remedies[remedy.Of(err)]}
	if errors.As(err, new(*schema.FieldError)) {
		hows = append(hows, ", or skip such rows (--bad skip)", howRead)
	} else if errors.As(err, new(*records.RecordError)) && strings.Contains(err.Error(), "stopped after") { // the rows before it are good
		hows = append(hows, ", or skip such rows (--bad skip)")
	}
	if err != nil && strings.Contains(err.Error(), "double each quote inside") {
		hows = append(hows, ", or take quotes as letters (--quote none)")
	}
	for _, how := range hows {
		if how != "" && has(c, how) {
			err = remedied{err, how}
		}
	}
	return err
}
