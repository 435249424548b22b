package ncf

import (
	"math/bits"
	"slices"

	"github.com/pkg/errors"

	"gophe/phe/learn"
)

// Model is the recommender. It encodes ratings and reads forecasts. [learn.New] makes learners of its network.
type Model struct {
	Config
	Network learn.Network
}

// maxLabels is the number of bits that hold a set of labels.
const maxLabels = 32

// New returns the recommender of a configuration. It learns nothing itself.
func New(c Config) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if n := len(c.Labels); n > maxLabels || (n == 0) != (c.LabelInput == NoLabels) {
		return nil, errors.Errorf("the configuration has %d labels with label_input %q; give 1 to %d, or none with %q",
			n, c.LabelInput, maxLabels, NoLabels)
	}
	c.Labels = slices.Clone(c.Labels)
	m := &Model{Config: c}
	m.Network = m.network()
	return m, nil
}

// Rating is a user's rating of an item.
type Rating struct {
	User, Item string   // known or never seen
	Labels     []string // labels of the item, from [Config].Labels
	Value      float64  // scaled to [0, 1]; negative if it is not known. Predict does not read it
}

// Encode returns ratings as a batch for a learner, and keeps no state. It returns an error that names the rating if one does not
// fit.
//
// An item is hashed with a minus before its name, as the authors do, so that no user and item share a key (PROTOCOL: Tokens).
func (m *Model) Encode(ratings []Rating) (*learn.Batch, error) {
	d, known := Data{}, true
	users, items := map[string]int32{}, map[labelled]int32{}
	for i, r := range ratings {
		set, err := m.labelBits(r.Labels)
		if err != nil {
			return nil, errors.WithMessagef(err, "rating %d, counted from 0", i)
		}
		if !(r.Value <= 1) {
			return nil, errors.Errorf("rating %d, counted from 0, is %g; scale ratings to lie between 0 and 1, "+
				"and give a negative rating if it is not known", i, r.Value)
		}
		user, ok := users[r.User]
		if !ok {
			user = int32(len(users))
			users[r.User], d.Users = user, append(d.Users, r.User)
		}
		of := labelled{r.Item, set}
		item, ok := items[of]
		if !ok {
			item = int32(len(items))
			items[of], d.Items, d.ItemLabels = item, append(d.Items, "-"+r.Item), append(d.ItemLabels, set)
		}
		known = known && r.Value >= 0
		d.User, d.Item, d.Ratings = append(d.User, user), append(d.Item, item), append(d.Ratings, float32(max(0, r.Value)))
	}
	b, err := m.Batch(d)
	if err == nil && !known {
		b.Targets = nil
	}
	return b, err
}

// labelled is an item with a set of labels. Later ratings may bring more labels of the same item.
type labelled struct {
	item   string
	labels uint32
}

// labelBits returns a set of labels with one bit for each.
func (m *Model) labelBits(labels []string) (set uint32, err error) {
	for _, label := range labels {
		i := slices.Index(m.Config.Labels, label)
		if i < 0 {
			return 0, errors.Errorf("label %q is not a label of the model, whose labels are %q", label, m.Config.Labels)
		}
		set |= 1 << i
	}
	return set, nil
}

// Data is a set of ratings in columns, the fast form for many ratings.
type Data struct {
	Users, Items []string  // distinct names as they are hashed, such as "17" and "-17"
	User, Item   []int32   // [ratings], into Users and Items
	Ratings      []float32 // scaled to [0, 1]
	ItemLabels   []uint32  // [items], bit g is set if the item has label g; empty with NoLabels
}

// Batch returns the ratings as a batch for a learner.
func (m *Model) Batch(d Data) (*learn.Batch, error) {
	if err := m.check(d); err != nil {
		return nil, err
	}
	b := &learn.Batch{Records: len(d.Ratings), Items: slices.Concat(d.Users, d.Items), Targets: d.Ratings,
		Index: make([]int32, 0, 2*len(d.Ratings)), Inputs: map[string]learn.Input{}}
	b.Columns = append(make([]int32, len(d.Users)), slices.Repeat([]int32{1}, len(d.Items))...)
	for i := range d.Ratings {
		b.Index = append(b.Index, d.User[i], d.Item[i]+int32(len(d.Users)))
	}
	if m.LabelInput != NoLabels {
		sets := make([]uint32, len(d.Item))
		for i, item := range d.Item {
			sets[i] = d.ItemLabels[item]
		}
		b.Inputs[labels] = learn.Input{Bits: sets}
	}
	if m.LabelInput == Embedded {
		b.Items, b.Common = append(b.Items, m.Config.Labels...), len(m.Config.Labels)
		b.Columns = append(b.Columns, slices.Repeat([]int32{2}, b.Common)...)
	}
	return b, nil
}

// check returns an error if the data does not fit.
func (m *Model) check(d Data) error {
	n := len(d.Ratings)
	if len(d.User) != n || len(d.Item) != n || len(d.ItemLabels) != len(d.Items) && m.LabelInput != NoLabels {
		return errors.Errorf("data does not fit: %d ratings have %d users and %d items, and %d items have %d sets of labels",
			n, len(d.User), len(d.Item), len(d.Items), len(d.ItemLabels))
	}
	for item, set := range d.ItemLabels {
		if most := len(m.Config.Labels); m.LabelInput != NoLabels && bits.Len32(set) > most {
			return errors.Errorf("item %q has label number %d; there are %d, counted from 0", d.Items[item], bits.Len32(set)-1, most)
		}
	}
	for i, y := range d.Ratings {
		if !(y >= 0 && y <= 1) {
			return errors.Errorf("rating %d is %g; scale ratings to lie between 0 and 1", i, y)
		}
		if u, f := d.User[i], d.Item[i]; u < 0 || int(u) >= len(d.Users) || f < 0 || int(f) >= len(d.Items) {
			return errors.Errorf("rating %d is of user %d and item %d; there are %d users and %d items, counted from 0",
				i, u, f, len(d.Users), len(d.Items))
		}
	}
	return nil
}
