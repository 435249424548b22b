package driver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pkg/errors"

	"gophe/phe/disk"
	"gophe/phe/internal/text"
	"gophe/phe/onepass"
	"gophe/phe/remedy"
	"gophe/phe/stream"
	"gophe/phe/stream/schema"
)

// Settings begin a model, which keeps them. A zero field is the default.
type Settings struct {
	Columns schema.Hints `json:"columns,omitzero"`
	Schema  string       `json:"schema,omitempty"` // file that describes the columns, in place of the hints

	Where string `json:"where,omitempty"` // what rows of the stream meet, such as "Quantity>0"
	Delay int    `json:"delay,omitempty"` // rows by which labels are late
	// After is the time by which labels are late, by the rows' time. Labels is a source that brings them. At most one of the three is set.
	After  time.Duration `json:"after,omitempty"`
	Labels string        `json:"labels,omitempty"`
	// WaitingMemory is the number of bytes of rows that wait for labels; 0 is DefaultWaitingMemory.
	WaitingMemory int `json:"waiting_memory,omitempty"`
	// Bad is Skip to leave out rows that cannot be learned, and count them; otherwise they end the learning.
	Bad string `json:"bad,omitempty"`

	Memory       int                  `json:"memory,omitempty"` // the rest as [stream.Options] has it
	Interactions onepass.Interactions `json:"interactions,omitempty"`
	Forget       float64              `json:"forget,omitempty"`
	Seed         int64                `json:"seed,omitempty"`
	IDs          int                  `json:"ids,omitempty"` // ids of the last rows that are kept; 0 is [DefaultIDs], and NoIDs is none
}

type plain Settings

// MarshalJSON returns the settings. Texts that are not UTF-8 are escaped: a file may have any encoding.
func (s Settings) MarshalJSON() ([]byte, error) {
	s.Where, s.Schema, s.Labels = text.Escape(s.Where), text.Escape(s.Schema), text.Escape(s.Labels)
	return json.Marshal(plain(s))
}

// UnmarshalJSON reads what MarshalJSON returned. Unknown fields are errors.
func (s *Settings) UnmarshalJSON(b []byte) error {
	err := text.Decode(b, (*plain)(s))
	s.Where, s.Schema, s.Labels = text.Unescape(s.Where), text.Unescape(s.Schema), text.Unescape(s.Labels)
	return err
}

// DefaultWaitingMemory is a number of bytes.
const DefaultWaitingMemory = 256 << 20

// Late tells whether rows wait for their labels.
func (s Settings) Late() bool { return s.Delay > 0 || s.After > 0 || s.Labels != "" }

// Skip is a value of Settings.Bad.
const Skip = "skip"

// DefaultIDs and NoIDs are numbers of ids that are kept.
const DefaultIDs, NoIDs = 100_000, -1

// All yields the names of all settings and their values as words, as flags take them. A default has no value.
func (s Settings) All() iter.Seq2[string, []string] {
	h, kinds := s.Columns, map[schema.Kind][]string{}
	for _, name := range slices.Sorted(maps.Keys(h.Kinds)) {
		kinds[h.Kinds[name]] = append(kinds[h.Kinds[name]], name)
	}
	if s.Interactions == onepass.Auto {
		s.Interactions = ""
	}
	memory, ids, delay := sized(s.Memory), word(s.IDs), word(s.Delay)
	if s.After > 0 {
		delay = word(s.After)
	}
	switch {
	case s.IDs == DefaultIDs:
		ids = nil
	case s.IDs < 0:
		ids = []string{"0"}
	}
	return func(yield func(string, []string) bool) {
		_ = yield("target", word(h.Target)) && yield("as", word(h.As)) && yield("classes", h.Classes) &&
			yield("drop", kinds[schema.Dropped]) && yield("keep", kinds[schema.Kept]) && yield("category", kinds[schema.Category]) &&
			yield("number", kinds[schema.Number]) && yield("time", kinds[schema.Time]) && yield("id", kinds[schema.ID]) &&
			yield("weight", kinds[schema.Weight]) && yield("multi", pairs(h.Multi)) && yield("same", pairs(h.Same)) &&
			yield("class-weight", pairs(h.Weights)) && yield("schema", word(s.Schema)) && yield("where", word(s.Where)) &&
			yield("delay", delay) && yield("labels", word(s.Labels)) && yield("waiting-memory", sized(s.WaitingMemory)) &&
			yield("bad", word(s.Bad)) && yield("memory", memory) &&
			yield("interactions", word(s.Interactions)) && yield("forget", word(s.Forget)) && yield("seed", word(s.Seed)) &&
			yield("ids", ids)
	}
}

// word returns a value as a word; none for zero.
func word[T comparable](value T) []string {
	if value == *new(T) {
		return nil
	}
	return []string{fmt.Sprint(value)}
}

// sized returns a number of bytes as a word; none for zero.
func sized(bytes int) []string { return word(strings.TrimPrefix(text.Size(bytes), "0")) }

// pairs returns the entries of a map, as flags take them.
func pairs[V any](of map[string]V) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, name+"="+fmt.Sprint(of[name]))
	}
	return list
}

// Fits returns an error if a setting is not the model's. A default counts if given names it. Bad and the labels' source may change.
func (s Settings) Fits(now Settings, given ...string) error {
	begun := maps.Collect(s.All())
	for name, values := range now.All() {
		is, was := strings.Join(values, ","), strings.Join(begun[name], ",")
		switch {
		case is == was || name == "bad" || name == "labels" && was != "" && is != "" || is == "" && !slices.Contains(given, name):
		case was == "":
			return remedy.Errorf("other settings", "%s is %s now, and it was the default when the model was begun", name, is)
		default:
			return remedy.Errorf("other settings", "%s is %s now, and it was %s when the model was begun", name, cmp.Or(is, "the default"),
				was)
		}
	}
	return nil
}

// agree returns an error if a setting is not what the schema of a file says: the columns are as the file says.
func (s Settings) agree(of schema.Schema) error {
	t, says := of.Target, map[string][]string{}
	if says["target"] = []string{t.Column + t.Compare + t.With}; t.Transform != "" {
		says["target"] = []string{t.Transform + "(" + t.Column + ")"}
	}
	classes := strings.Join(t.Classes, ",") // their order matters
	says["classes"] = []string{classes, strings.TrimSuffix(classes, ","+schema.Other)}
	says["as"], says["class-weight"] = []string{string(t.Kind)}, pairs(t.Weights)
	add := func(name, value string) { says[name] = append(says[name], value) }
	for _, c := range of.Columns {
		if c.Kind != schema.Dropped {
			add("keep", c.Name)
		}
		add(cmp.Or(map[schema.Kind]string{schema.Dropped: "drop", schema.Both: "number"}[c.Kind], string(c.Kind)), c.Name)
		add("multi", c.Name+"="+c.Separator)
		add("same", c.Name+"="+map[bool]string{true: "-"}[c.Opposite]+c.Same)
	}
	bare := strings.NewReplacer(" ", "", "==", "=").Replace // a target may be written in several ways
	for name, values := range (Settings{Columns: s.Columns}).All() {
		if name == "classes" {
			values = word(strings.Join(values, ","))
		}
		for _, value := range values {
			if !slices.ContainsFunc(says[name], func(is string) bool { return bare(is) == bare(value) }) {
				return remedy.Errorf("schema", "%s is %s, and the schema %s says otherwise; change the schema", name, value, s.Schema)
			}
		}
	}
	return nil
}

// ids returns the number of ids that are kept.
func (s Settings) ids() int { return max(0, cmp.Or(s.IDs, DefaultIDs)) }

// Begin returns a new learner of a schema.
func (s Settings) Begin(of schema.Schema) (*stream.Learner, error) {
	o := stream.Options{Memory: s.Memory, Interactions: s.Interactions, Forget: s.Forget, Seed: s.Seed}
	if of.PlaceOf(schema.ID) >= 0 {
		o.IDs = s.ids()
	} else if s.IDs > 0 && s.IDs != DefaultIDs {
		return nil, remedy.Errorf("id", "the ids of %s are to be kept, and no column names the rows; name one",
			text.Counted(s.IDs, "row"))
	}
	return stream.New(of, o)
}

// Stepper returns what forecasts a row, learns it, and learns the rows before it whose labels are due. row is the row's number.
func (s Settings) Stepper(of schema.Schema) (func(l *stream.Learner, row int64, r schema.Record) (stream.Forecast, error), error) {
	clocks := of.Clocks(s.Columns.Kinds)
	if s.After > 0 && len(clocks) != 1 {
		return nil, remedy.Errorf("clock", "labels are %v late, and of the %d columns that are times, none is known to be a row's time; "+
			"name it", s.After, len(clocks))
	}
	return func(l *stream.Learner, row int64, r schema.Record) (stream.Forecast, error) {
		if s.After == 0 {
			return l.StepLate(row, r, s.Delay)
		}
		return l.StepAfter(row, r, s.After, clocks[0])
	}, nil
}

// ReadSchema returns the schema of the file that describes the columns.
func (s Settings) ReadSchema(ctx context.Context) (schema.Schema, error) {
	b, err := disk.ReadSettings(ctx, s.Schema, disk.MaxSettings)
	if err != nil {
		return schema.Schema{}, remedy.With("show schema", errors.WithMessage(err, "cannot read the schema"))
	}
	return schema.Parse(b)
}

// Hints returns the hints for the columns of a new model.
func (s Settings) Hints() schema.Hints {
	h := s.Columns
	h.IDs = s.ids()
	return h
}
