package ncf_test

import (
	"math"
	"slices"
	"testing"

	"gophe/phe/disk/filetest"
	"gophe/phe/learn"
	"gophe/phe/models/ncf"
)

// ratingsOf are data's ratings one by one, as [ncf.Model.Encode] takes them.
func ratingsOf(c ncf.Config, d ncf.Data) (ratings []ncf.Rating) {
	for i, value := range d.Ratings {
		r := ncf.Rating{User: d.Users[d.User[i]], Item: d.Items[d.Item[i]][1:], Value: float64(value)} // without the minus
		for g, label := range c.Labels {
			if d.ItemLabels[d.Item[i]]>>g&1 == 1 {
				r.Labels = append(r.Labels, label)
			}
		}
		ratings = append(ratings, r)
	}
	return
}

// byArrival is data whose users are listed in the order of their first ratings, as Encode lists them. Items are listed so already.
func byArrival(d ncf.Data) ncf.Data {
	var users []string
	for i, user := range d.User {
		at := slices.Index(users, d.Users[user])
		if at < 0 {
			at, users = len(users), append(users, d.Users[user])
		}
		d.User[i] = int32(at)
	}
	d.Users = users
	return d
}

func encode(t testing.TB, c ncf.Config, ratings []ncf.Rating) *learn.Batch {
	t.Helper()
	return filetest.Must(filetest.Must(ncf.New(c))(t).Encode(ratings))(t)
}

// Ratings one by one give the batch that the same ratings give in columns. Encoding changes no rating.
func TestEncodeEqualsData(t *testing.T) {
	for _, input := range []ncf.LabelInput{ncf.MultiHot, ncf.Embedded, ncf.NoLabels} {
		c, d := methods[0].config(), byArrival(toyData())
		if setLabels(&c, input); input == ncf.NoLabels {
			d.ItemLabels = nil
		}
		ratings := ratingsOf(c, d)
		got, want := encode(t, c, ratings), filetest.Must(filetest.Must(ncf.New(c))(t).Batch(d))(t)
		filetest.Want(t, got, want, "%s: the batch of ratings one by one, and of columns", input)
		filetest.Want(t, ratings, ratingsOf(c, d), "the ratings after encoding")
	}
}

// A user and an item of one name are different items of the tables, and labels are common to all ratings.
func TestEncodeTokens(t *testing.T) {
	c := methods[0].config()
	c.LabelInput, c.Labels = ncf.Embedded, []string{"comedy", "thriller"}
	b := encode(t, c, []ncf.Rating{{User: "3", Item: "3"}, {User: "4", Item: "3"}})
	filetest.Want(t, b.Items, []string{"3", "4", "-3", "comedy", "thriller"}, "items")
	filetest.Want(t, b.Columns, []int32{0, 0, 1, 2, 2}, "the columns of items")
	filetest.Want(t, b.Common, 2, "common items")
	filetest.Want(t, b.Index, []int32{0, 2, 1, 2}, "ratings are of items")
}

// An error names the rating, and what would be right. A model keeps its own copy of the labels.
func TestEncodeErrors(t *testing.T) {
	c := methods[0].config()
	none := c
	setLabels(&none, ncf.NoLabels)
	for _, bad := range []struct {
		config ncf.Config
		rating ncf.Rating
		right  string
	}{
		{c, ncf.Rating{Labels: []string{"label_1", "drama"}},
			`: label "drama" is not a label of the model, whose labels are ["label_0" "label_1" "label_2" "label_3" "label_4"]`},
		{none, ncf.Rating{Labels: []string{"label_1"}}, `: label "label_1" is not a label of the model, whose labels are []`},
		{c, ncf.Rating{Value: 1.5}, ", is 1.5; scale ratings to lie between 0 and 1, and give a negative rating if it is not known"},
		{c, ncf.Rating{Value: math.NaN()}, ", is NaN; scale"},
		{c, ncf.Rating{Value: math.Inf(1)}, ", is +Inf; scale"},
	} {
		bad.config.Labels = slices.Clone(bad.config.Labels)
		m := filetest.Must(ncf.New(bad.config))(t)
		clear(bad.config.Labels)
		bad.rating.User, bad.rating.Item = "1", "2"
		good := ncf.Rating{User: "1", Item: "2", Value: 1}
		b, err := m.Encode([]ncf.Rating{good, good, bad.rating, good})
		filetest.WantError(t, err, "rating 2, counted from 0"+bad.right)
		filetest.True(t, b == nil, "beside the error %v there is a batch", err)
	}
}

// Unknown ratings make a batch without targets. The contract says that nothing is learned from such a batch.
func TestUnknownRatings(t *testing.T) {
	b := encode(t, methods[0].config(), []ncf.Rating{{User: "1", Item: "2", Value: 0.25}, {User: "new", Item: "5", Value: -1}})
	filetest.Want(t, len(b.Targets), 0, "targets, since one of the ratings is not known")
}

// An item whose ratings give it different labels is one item: its embedding is the same, and its labels are the rating's own.
func TestItemWithOtherLabels(t *testing.T) {
	c := methods[3].config()
	ratings := slices.Repeat([]ncf.Rating{{User: "1", Item: "2", Value: 1}}, 3)
	ratings[1].Labels, ratings[2].Labels = c.Labels[:1], c.Labels[:2]
	l := newLearner(t, c, toyData(), 0)
	l.All = encode(t, c, ratings)
	filetest.Check(t, l.Update(rowsOf(0, 3), 1))
	s := l.State(t)
	filetest.Want(t, s.Vocabulary, []string{"1", "-2"}, "the vocabulary")
	p := l.Predict(t, rowsOf(0, 3), 0)
	filetest.True(t, p[0] != p[1] && p[1] != p[2], "other labels are predicted alike: %v", p)
	clear(s.Parameters[len(s.Parameters)-1]) // the network's weights of labels
	filetest.Check(t, l.Restore(s))
	p = l.Predict(t, rowsOf(0, 3), 0)
	filetest.Want(t, p[1:], []float32{p[0], p[0]}, "without weights of labels, other predictions of one item")
}
