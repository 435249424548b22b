// Package cell has the functions of a notebook's cells. It shows tables, figures and controls, runs experiments, and keeps values for later
// cells. It knows the folder of notebooks' results, and the size of their runs.
//
// Every cell of a GoNB notebook is a program of its own. Long work is therefore kept on disk: Run leaves a result file, and
// later cells ReadRun it. A cell cannot return an error: the functions here end it with the error's message.
//
// Play puts controls under a picture, and draws the picture anew whenever the reader moves one. The controls live in the browser, the
// drawing function in the cell's program. They talk over the comms of GoNB. A kernel runs one cell at a time, so a cell with controls must
// end by itself. It ends when the reader presses Stop, when another cell waits, at the kernel's interrupt, and after three minutes without
// a move. Where no browser answers, such as under nbconvert, it draws the first picture and ends.
//
// GoNB has a slider, a list and a button of its own. They are not used here, for three reasons. Each of their values goes to a
// goroutine of its own, so that the last one to arrive need not be the newest. Their constructors wait for a browser forever. And
// they need several round trips each, where one message can build all controls.
package cell

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/pkg/errors"

	"gophe/figures/draw"
)

const (
	dpi     = 150 // of pictures: the widest figure then fits the page
	maxRows = 40  // of a table; more are cut, and said to be

	maxMarks = 150 // of a picture, unless it has more series: they are kept in the notebook
)

// Check ends the cell, and says why, if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		Sync()
		os.Exit(1)
	}
}

// Must is value; it ends the cell, and says why, if err is not nil.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Table shows a DataFrame, its first forty rows if it has more.
func Table(df dataframe.DataFrame) {
	Check(errors.Wrap(df.Error(), "this DataFrame is an error, not a table; look at the call that made it"))
	gonbui.DisplayHTML(table(df))
	delivered()
}

// First returns the first n rows of a DataFrame, or all if it has fewer.
func First(n int, df dataframe.DataFrame) dataframe.DataFrame {
	rows := make([]int, min(n, df.Nrow()))
	for i := range rows {
		rows[i] = i
	}
	return df.Subset(rows)
}

// delivered waits until the page has what was sent.
func delivered() {
	Sync()
	Check(gonbui.Error())
}

// table renders a DataFrame as HTML, numbers flush right.
func table(df dataframe.DataFrame) string {
	var b strings.Builder
	b.WriteString("<table>\n<thead><tr>")
	for _, name := range df.Names() {
		fmt.Fprintf(&b, "<th>%s</th>", html.EscapeString(name))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	types := df.Types()
	for row := range min(df.Nrow(), maxRows) {
		b.WriteString("<tr>")
		for column, kind := range types {
			align := "right"
			if kind == "string" {
				align = "left"
			}
			fmt.Fprintf(&b, `<td style="text-align:%s">%s</td>`, align, html.EscapeString(cell(df, row, column)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	if df.Nrow() > maxRows {
		fmt.Fprintf(&b, "<p>%d rows, of which the first %d are shown</p>\n", df.Nrow(), maxRows)
	}
	return b.String()
}

// cell writes a value in the number format of all notebooks. gota always prints six decimals.
func cell(df dataframe.DataFrame, row, column int) string {
	e := df.Elem(row, column)
	switch {
	case e.IsNA():
		return "–"
	case e.Type() == "float", e.Type() == "int":
		return draw.Number(e.Float())
	}
	return e.String()
}

// marksType is the MIME type of a picture's marks: {"marks": [{"x": …, "y": …, "text": …}]}. The book shows them on hover.
// JupyterLab ignores them.
const marksType = "application/vnd.gophe.marks+json"

// Figure shows a figure. The text of its points goes along for the book.
func Figure(fig *draw.Figure) {
	data := map[protocol.MIMEType]any{protocol.MIMEImagePNG: Must(compact(Must(fig.PNG(dpi))))}
	if marks := fig.Marks(maxMarks); len(marks) > 0 {
		data[marksType] = string(Must(json.Marshal(map[string]any{"marks": marks})))
	}
	gonbui.SendData(&protocol.DisplayData{Data: data})
	delivered()
}

// Markdown shows text, or a table of package report, whose deviations stay next to their means.
func Markdown(text any) {
	gonbui.DisplayMarkdown(strings.ReplaceAll(fmt.Sprint(text), " ± ", "\u00a0±\u00a0"))
	delivered()
}
