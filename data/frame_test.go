package data_test

import (
	"bufio"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	"github.com/pkg/errors"

	"gophe/data/datatest"
	"gophe/data/files"
	"gophe/data/labelled"
	"gophe/data/ratings"
	"gophe/data/sales"
	"gophe/data/uci"
	"gophe/phe/disk/filetest"
)

// head returns the first lines of a file, a header and 1,000 rows.
func head(content io.Reader) string {
	var text strings.Builder
	lines := bufio.NewScanner(content)
	for range 1001 {
		lines.Scan()
		text.WriteString(lines.Text() + "\n")
	}
	return text.String()
}

// same checks that what a frame gave is what our reader gives, in rows, items, numbers, classes and order.
func same[T any](t *testing.T, what string, got *T, err error, want *T) {
	t.Helper()
	filetest.Check(t, err)
	for _, v := range []reflect.Value{reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()} {
		for _, field := range []string{"Path", "SHA256", "Verified"} { // of the file
			v.FieldByName(field).SetZero()
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s differs:\n%.300v\n%.300v", what, got, want)
	}
}

// A frame that gota reads, with types declared or guessed, gives our reader's table and sales: of the first 1,000 rows of each file, and
// in the long form of all rows. gota would take several GB for the whole Covertype.
func TestOfFrame(t *testing.T) {
	for _, d := range slices.Concat(uci.Tables(), []uci.Declaration{uci.Retail()}) {
		open, options := d.Open, files.Options{}
		if !filetest.Long() {
			text, folder := head(d.Open()), t.TempDir()
			datatest.Write(t, filepath.Join(folder, d.Source+".csv"), text)
			t.Setenv(files.PathVariable, folder)
			open, options.AllowAltered = func() io.Reader { return strings.NewReader(text) }, true
		} else if d.Name == "covertype" {
			continue
		}
		guess := []dataframe.LoadOption{dataframe.NaNValues([]string{d.Missing})}
		for how, o := range map[string][]dataframe.LoadOption{"declared": d.LoadOptions(), "guessed": guess} {
			df := dataframe.ReadCSV(open(), o...)
			if d.Name == "retail" {
				got, err := sales.OfFrame(df)
				same(t, "retail, types "+how, got, err, filetest.Must(sales.Load(options))(t))
				continue
			}
			got, err := labelled.OfFrame(d, df)
			same(t, d.Name+", types "+how, got, err, filetest.Must(labelled.Load(d.Name, options))(t))
		}
		t.Setenv(files.PathVariable, "")
	}
}

// So do the frames of MovieLens' files, by hand and, in the long form, those that are there.
func TestRatingsOfFrames(t *testing.T) {
	declared := dataframe.WithTypes(map[string]series.Type{"userId": series.Int, "movieId": series.Int, "rating": series.Float,
		"timestamp": series.Int, "title": series.String, "genres": series.String})
	check := func(name string, want *ratings.Ratings, open func(file int) io.Reader) {
		want.Name = ""
		for how, o := range map[string]dataframe.LoadOption{"declared": declared, "guessed": dataframe.DetectTypes(true)} {
			got, err := ratings.OfFrame(dataframe.ReadCSV(open(0), o), dataframe.ReadCSV(open(1), o))
			same(t, name+", types "+how, got, err, want)
		}
	}
	for _, s := range filetest.Some(t, ratings.Sources()[1:], "sources of ratings") {
		want, err := ratings.Load(s.Name, files.Options{})
		if !filetest.Long() || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		filetest.Check(t, err)
		check(s.Name, want, func(file int) io.Reader { return s.Open(file, s.Rows) })
	}
	folder, texts := t.TempDir(), []string{"userId,movieId,rating,timestamp\r\n2,5,4.0,8\r\n1,7,0.5,3\r\n1,5,3.5,3\r\n3,99,1.0,1\r\n",
		"movieId,title,genres\r\n7,\"Seven, the film (1999)\",Drama|War\r\n5,Five,Comedy\r\n"}
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-ratings.csv"), texts[0])
	datatest.Write(t, filepath.Join(folder, "ml-latest-small-movies.csv"), texts[1])
	t.Setenv(files.PathVariable, folder)
	want := filetest.Must(ratings.Load("ml-latest-small", files.Options{AllowAltered: true}))(t)
	check("by hand", want, func(file int) io.Reader { return strings.NewReader(texts[file]) })
	s, _ := files.LookUp(ratings.Sources(), "ml-latest-small")
	for file, name := range []string{"ratings", "movies"} {
		filetest.WantError(t, dataframe.ReadCSV(s.Open(file, s.Rows)).Err, name+".csv is altered")
	}
	films := dataframe.ReadCSV(strings.NewReader(texts[1]))
	filetest.WantError(t, filetest.Failure(ratings.OfFrame(films, films)), `"timestamp"`, "not found")
	bad := dataframe.ReadCSV(strings.NewReader(strings.Replace(texts[0], "3.5", "3.7", 1)))
	filetest.WantError(t, filetest.Failure(ratings.OfFrame(bad, films)), "the DataFrame:4:", `"3.7" is not a number of stars`)
}

// No notebook reads a larger frame than Retail's, and a notebook may take 1 GB.
func TestMemoryOfFrame(t *testing.T) {
	if !filetest.Long() {
		t.Skip("four seconds of a processor; GOPHE_TEST=long runs it")
	}
	datatest.LimitPeak(t, 700, func() {
		d := uci.Retail()
		if s := filetest.Must(sales.OfFrame(dataframe.ReadCSV(d.Open(), d.LoadOptions()...)))(t); s.NumRows() != 531285 {
			t.Errorf("%d sales", s.NumRows())
		}
	})
}

// What gota changes silently is an error or no change: junk and the text NaN, zeros before a number, the order of columns, an altered file.
func TestFrameTraps(t *testing.T) {
	d, text := uci.Adult(), head(uci.Adult().Open())
	frame := func(text string) dataframe.DataFrame {
		return dataframe.ReadCSV(strings.NewReader(text), d.LoadOptions()...)
	}
	for number, want := range map[string]string{"39": `column "age": "NaN" is not a number`, "77516": `column "fnlwgt": "NaN" is not`} {
		filetest.WantError(t, filetest.Failure(labelled.OfFrame(d, frame(strings.Replace(text, number, "x", 1)))), "the DataFrame:2:", want)
	}
	df := frame(text)
	filetest.WantError(t, filetest.Failure(labelled.OfFrame(d, df.Drop("sex"))), `"sex" not found`, "native-country")
	filetest.WantError(t, filetest.Failure(labelled.OfFrame(d, df.Drop("sexes"))), "not found", "a DataFrame with the columns")
	turned := df.Select([]int{14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}).CBind(df.Select("age").Rename("more", "age"))
	got, err := labelled.OfFrame(d, turned)
	same(t, "the columns in another order", got, err, filetest.Must(labelled.OfFrame(d, df))(t))

	b := uci.Bank()
	named := strings.Replace(head(b.Open()), "management", "NaN", 1)
	df = dataframe.ReadCSV(strings.NewReader(named), b.LoadOptions()...)
	filetest.WantError(t, filetest.Failure(labelled.OfFrame(b, df)), `column "job": "" is no value`)
	r := uci.Retail()
	coded := strings.Replace(head(r.Open()), "85123A", "0085", 1)
	s := filetest.Must(sales.OfFrame(dataframe.ReadCSV(strings.NewReader(coded), r.LoadOptions()...)))(t)
	if s.Categorical[0].Values[0] != "0085" || !slices.Contains(s.Categorical[1].Values, "<NA>") {
		t.Errorf("codes %q, customers without <NA>", s.Categorical[0].Values[:3])
	}
	folder := t.TempDir()
	t.Setenv(files.PathVariable, folder)
	datatest.Write(t, filepath.Join(folder, "adult.csv"), text)
	df = dataframe.ReadCSV(d.Open(), d.LoadOptions()...)
	filetest.WantError(t, filetest.Failure(labelled.OfFrame(d, df)), "adult.csv is altered", "declared")
	datatest.Write(t, filepath.Join(folder, "adult.csv.gz"), "x")
	filetest.WantError(t, dataframe.ReadCSV(d.Open(), d.LoadOptions()...).Err, "not a gzip file")
}
