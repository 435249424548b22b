package baseline

import "gophe/phe/models/ncf"

// Ratings are ratings in columns: the number of users and of items, and each rating's user, item and value.
type Ratings struct {
	Users, Items int
	User, Item   []int32
	Values       []float32
}

// drawnBy is the number of ratings by which a user's or an item's mean is drawn to the mean of all.
const drawnBy = 10

// Averages predicts ratings by running averages. It learns a day's ratings together: first the mean of all, then each item's
// deviation from it, then each user's deviation from both.
type Averages struct {
	data               Ratings
	rows, sum          float64
	itemRows, itemSum  []float64 // less the global mean when they came
	userRows, userSum  []float64 // less item and global mean
	stdDev             float64
	useItems, useUsers bool
}

// NewAverages returns the baseline of a name: globalMean, userMean, filmMean or Biases. stdDev is the deviation of its
// Gaussian forecasts, in the units of the ratings.
func NewAverages(name string, d Ratings, stdDev float64) *Averages {
	return &Averages{data: d, stdDev: stdDev,
		itemRows: make([]float64, d.Items), itemSum: make([]float64, d.Items),
		userRows: make([]float64, d.Users), userSum: make([]float64, d.Users),
		useItems: name == filmMean || name == Biases, useUsers: name == userMean || name == Biases,
	}
}

// item returns the mean of a rating without its user's share.
func (a *Averages) item(row int32) float64 {
	mean := a.sum / max(a.rows, 1)
	if a.useItems {
		i := a.data.Item[row]
		mean += a.itemSum[i] / (a.itemRows[i] + drawnBy)
	}
	return mean
}

// Predict returns the forecast of a rating.
func (a *Averages) Predict(row int32) ncf.Predictive {
	mean := a.item(row)
	if a.useUsers {
		u := a.data.User[row]
		mean += a.userSum[u] / (a.userRows[u] + drawnBy)
	}
	return ncf.Predictive{Means: []float64{mean}, StdDev: a.stdDev}
}

// Learn learns the ratings of a day.
func (a *Averages) Learn(rows []int32) {
	for _, row := range rows {
		a.rows++
		a.sum += float64(a.data.Values[row])
	}
	mean := a.sum / a.rows
	for _, row := range rows {
		i := a.data.Item[row]
		a.itemRows[i]++
		a.itemSum[i] += float64(a.data.Values[row]) - mean
	}
	for _, row := range rows {
		u := a.data.User[row]
		a.userRows[u]++
		a.userSum[u] += float64(a.data.Values[row]) - a.item(row)
	}
}
