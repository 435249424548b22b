package streaming

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/pkg/errors"
	"github.com/spf13/cobra"

	"gophe/phe/live/driver"
	"gophe/phe/live/serve"
	"gophe/phe/live/store"
	"gophe/phe/records"
	"gophe/phe/stream"
	"gophe/phe/terminal"
)

// audit identifies a model, to compare it with another: equal learners have equal checksums.
type audit struct {
	Rows int64  `json:"rows"`
	Sum  string `json:"checksum"`             // of the beliefs
	Line string `json:"learned_by,omitempty"` // a command that learns the same rows into another file; empty if none does
}

// auditOf returns the audit of a learner with a checksum. If it has learned the stream of an address, the line has this address.
func auditOf(state driver.State, sum uint32, address string) audit {
	a := audit{state.Rows, fmt.Sprintf("%08x", sum), ""}
	input := cmp.Or(string(state.Several), quoted(string(state.Input.Name)))
	atEnd := state.Ends > 0 || state.Settings.Labels != "" // late labels were learned at the end, where no --rows stops
	twice := len(state.Earlier) > 0 || state.NamedLater
	if state.Input.Name == "" || state.Served != nil || twice || state.Labels.End > 0 || state.Ends > 1 || atEnd && !state.Ended {
		return a
	}
	switch {
	case state.Input.Name == "standard input":
		input = "-"
	case path.Base(input) == path.Base(address):
		input = address
	}
	a.Line = "phe stream " + input
	for name, values := range state.Settings.All() {
		if len(values) > 1 && name != "multi" && name != "same" {
			values = []string{records.CSVLine(values)}
		}
		for _, value := range values {
			a.Line += " --" + name + " " + quoted(value)
		}
	}
	if !atEnd {
		a.Line += fmt.Sprintf(" --rows %d", state.Records())
	}
	a.Line += " --model again.phe"
	return a
}

// quoted returns a word, in quotes if a shell needs them.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:,=+@%", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func inspectCommand() *cobra.Command {
	var item string
	var most int
	var asJSON bool
	c := &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show a model's knowledge: items, columns, tables, collisions",
		Long: "Inspect shows a model's knowledge. It prints the effect of each frequent item on the forecast, " +
			"and how sure the effect is.\nIt also shows which columns matter, " +
			"by the mean size of their lines in the reasons of `phe predict --why`, and which pairs\nof columns. " +
			"It shows how full the tables are, and how often items collide.\n\n" +
			"Equal models have equal checksums. The line that it prints learns the same rows again, to compare.",
		Example: "  phe inspect sales.phe\n" +
			"  phe inspect sales.phe --item StockCode=85123A\n" +
			"  phe inspect sales.phe --json > sales-model.json",
		Args: Named(1, "one file", "phe inspect sales.phe"),
		RunE: func(c *cobra.Command, args []string) error {
			if most < 0 {
				return errors.Errorf("--most is %d; give 0 or more", most)
			}
			l, state, err := serve.Peek(args[0], logTo(c))
			if err != nil {
				return err
			}
			if item != "" {
				return inspectItem(c, l, item)
			}
			in := l.Inspect()
			sum, err := store.Sum(l)
			if err != nil {
				return err
			}
			a := auditOf(state, sum, "")
			if asJSON {
				return printJSON(c, struct {
					stream.Inspection
					Audit audit `json:"audit"`
				}{in, a})
			}
			w := c.OutOrStdout()
			if state.Input.Name != "" {
				fmt.Fprintf(w, "%s of %s\n", terminal.Counted(state.Rows, "row"), state.Name())
			}
			fmt.Fprintf(w, "checksum of the beliefs: %s\n", a.Sum)
			if a.Line != "" {
				fmt.Fprintf(w, "learned again by: %s\n", terminal.Shown(w, a.Line))
			}
			printInspection(c.OutOrStdout(), in, most)
			return nil
		},
	}
	c.Flags().StringVar(&item, "item", "", "show one item, as COLUMN=ITEM")
	c.Flags().IntVar(&most, "most", 10, "largest number of items and pairs to print")
	c.Flags().BoolVar(&asJSON, "json", false, "print everything as JSON")
	return c
}

func inspectItem(c *cobra.Command, l *stream.Learner, item string) error {
	column, name, found := strings.Cut(item, "=")
	if !found {
		return errors.Errorf("--item is %q; write it as COLUMN=ITEM", item)
	}
	s, err := l.Item(column, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), effectOf(c.OutOrStdout(), s))
	return errors.Wrap(err, "cannot print the item")
}

// effectOf describes the effect of an item for w.
func effectOf(w io.Writer, s stream.ItemState) string {
	name, times := terminal.Shown(w, s.Name), terminal.Counted(s.Count, "time")
	switch {
	case s.Effect == 0 && s.Spread == 0: // a count's model has no effects
		return name + ", " + times
	case s.Class != "":
		return fmt.Sprintf("%s, %s: %+.3f on the probability of %s", name, times, s.Effect, terminal.Shown(w, s.Class))
	}
	return fmt.Sprintf("%s, %s: %+.3f ± %.3f", name, times, s.Effect, s.Spread)
}

// printInspection prints an inspection, the parts that most people look for first.
func printInspection(w io.Writer, in stream.Inspection, most int) {
	fmt.Fprintf(w, "%s learned; %s\n\n", terminal.Counted(in.Rows, "row"), in.Target)
	fmt.Fprintf(w, "%-24s%10s%10s%12s\n", "model", "weight", "memory", "in use")
	rest := 1.0 // weight of the base rate, which has no tables
	for _, m := range in.Models {
		fmt.Fprintf(w, "%-24s%10.2f", m.Name, m.Weight)
		if m.Bytes > 0 {
			fmt.Fprintf(w, "%10s", terminal.Size((m.Bytes+1023)&^1023))
		}
		if t := m.Tables; t != nil {
			fmt.Fprintf(w, "%10.0f %%", 100*t.Touched)
		}
		fmt.Fprintln(w)
		rest -= m.Weight
	}
	if rest >= 0.005 {
		fmt.Fprintf(w, "%-24s%10.2f\n", "base rate", rest)
	}
	fmt.Fprintf(w, "interactions of columns: %s\n", in.Interactions)
	if in.Options.IDs > 0 {
		fmt.Fprintf(w, "ids of the last rows, to know one that comes again: %s of %s, in hashes of %s bytes\n",
			terminal.Grouped(int64(in.IDs)), terminal.Grouped(int64(in.Options.IDs)), terminal.Grouped(int64(in.IDs*stream.IDBytes)))
	}
	slices.SortStableFunc(in.Columns, func(a, b stream.ColumnState) int { return cmp.Compare(b.Adds, a.Adds) })
	fmt.Fprintf(w, "\n%-28s%-28s%16s%12s%14s\n", "column", "read as", "mean |line|", "items", "seen before")
	for i, c := range in.Columns {
		adds := "–"
		if i > 0 && in.Columns[i-1].As.Name == c.As.Name {
			adds = "" // its line is above
		} else if in.Models[0].Tables != nil {
			adds = fmt.Sprintf("%.3g", c.Adds)
		}
		line := fmt.Sprintf("%-28s%-28s%16s", terminal.Shown(w, c.Name), c.As.Reads(), adds)
		if c.Items > 0 {
			line += fmt.Sprintf("%12s%12.1f %%", "≈ "+terminal.Grouped(int64(c.Different+0.5)), 100*c.Known)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	if in.Models[0].Tables != nil {
		fmt.Fprintln(w, "mean |line|: the size of the column's line in `phe predict --why`, over one learned row in 128")
	}
	if len(in.Pairs) > 0 {
		fmt.Fprintf(w, "\npairs of columns, largest scales first\n")
		for _, p := range in.Pairs[:min(most, len(in.Pairs))] {
			fmt.Fprintf(w, "%-36s%16s\n", terminal.Shown(w, p.First+" × "+p.Second), fmt.Sprintf("%.2f ± %.2f", p.Scale.Mean,
				p.Scale.Deviation))
		}
	}
	for _, c := range in.Columns {
		if len(c.Frequent) > 0 {
			effects := map[bool]string{true: ", and the effect of each on the forecast"}[in.Models[0].Tables != nil]
			fmt.Fprintf(w, "\n%s: most frequent items%s\n", terminal.Shown(w, c.Name), effects)
		}
		for _, s := range c.Frequent[:min(most, len(c.Frequent))] {
			fmt.Fprintln(w, " ", effectOf(w, s))
		}
		for _, g := range c.Merged {
			fmt.Fprintf(w, "  the tables do not tell apart: %s\n", terminal.Shown(w, strings.Join(g, ", ")))
		}
	}
	printTables(w, in)
	fmt.Fprintf(w, "counters of seen items in use: %.0f %%; near 100 %%, new items begin to look known\n", 100*in.Load)
}

// printTables prints details: the words for missing values, and how full each model's tables are.
func printTables(w io.Writer, in stream.Inspection) {
	fmt.Fprintln(w)
	if at := slices.IndexFunc(in.Columns, func(c stream.ColumnState) bool { return len(c.As.Missing()) > 1 }); at >= 0 {
		marks := in.Columns[at].As.Missing()[1:]
		fmt.Fprintf(w, "no value: an empty field; among numbers, truth and times also %q, in capitals or not\n", marks)
	}
	for _, m := range in.Models {
		t := m.Tables
		if t != nil {
			fmt.Fprintf(w, "tables of the model %s: %s buckets, %s from the prior\n", m.Name, terminal.Grouped(int64(t.Buckets)),
				terminal.Counted(int64(t.Distance+0.5), "nat"))
		}
		if t != nil && t.Slots > 0 {
			fmt.Fprintf(w, "its evidence: %s slots, %.0f %% in use; %.1f %% of the lookups found the item, %.1f %% took an empty slot, "+
				"%.1f %% met another item\n", terminal.Grouped(int64(t.Slots)), 100*t.Used, 100*t.Hits, 100*t.Inserts, 100*t.Collides)
		}
	}
}
