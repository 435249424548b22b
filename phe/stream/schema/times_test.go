package schema

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"gophe/phe/disk/filetest"
)

// read reads a field and returns its time as text: without a clock, without a year, and with the zone, as the field has them.
func read(field, layout string) string {
	var l lastTime
	l.read(field, layout)
	if !l.known {
		return ""
	}
	text := l.time.Format(time.DateOnly)
	if !l.form.year {
		text = l.time.Format("01-02")
	}
	if l.form.clock {
		text += l.time.Format(" 15:04")
	}
	if l.form.zone {
		text += l.time.Format("-07:00")
	}
	return text
}

// Each way to write a time is read as it is meant, or not at all.
func TestReadTime(t *testing.T) {
	for _, test := range []struct{ want, fields string }{
		{"2018-01-07 13:05", "2018-01-07 13:05:00|2018-01-07T13:05:00|2018-01-07 13:05|2018-1-7 13:05|2018-01-07T13:05|2018-01-07 " +
			"13:05:00.123456|2018-01-07T13:05:00.123456789|2018-01-07 13:05:00,123|" +
			"2018/01/07 13:05|2018.01.07 13:05|07.01.2018 13:05|07.01.18 13:05|7.1.2018 13:05|07-Jan-18 13:05|7 Jan 2018 13:05:00|7 " +
			"January 2018 13:05|January 7, 2018 13:05|Jan 7, 2018, 1:05:00 PM|" +
			"Jan  7 2018  1:05PM|January 7, 2018 at 1:05 pm|Sunday, January 07, 2018 13:05|[07/Jan/2018:13:05:36|07JAN2018:13:05:00|" +
			"20180107T130500|20180107130500|201801071305|20180107 13:05:00|" +
			"2018-01-07 13:05:00 CET|2018-01-07 13:05:00 MST|Sun Jan  7 13:05:00 2018|Sun Jan  7 13:05:00 CET 2018| " +
			"2018-01-07\u00a013:05 |Jan 7, 2018, 1:05:00\u202fPM"},
		{"2018-01-07 13:05+00:00", "2018-01-07T13:05:00Z|2018-01-07T13:05:00.000Z|2018-01-07 13:05:00+00:00|2018-01-07 13:05:00 UTC|" +
			"2018-01-07 13:05:00 +0000 UTC|2018-01-07T13:05Z[UTC]|Sun Jan 07 2018 13:05:00 GMT+0000 (Coordinated Universal Time)|Sun " +
			"2018-01-07 13:05:00 UTC|" +
			"Sun, 07 Jan 2018 13:05:00 GMT|Sunday, 07-Jan-18 13:05:00 UTC|Sun Jan 7 13:05:00 UTC 2018|Sun Jan 07 13:05:00 +0000 2018|" +
			"20180107T130500Z|20180107130500.5Z|" +
			"1515330300|1515330300000|1515330300000000|1515330300000000000|1515330300.5|1.5153303e+09"},
		{"2018-01-07 13:05+02:00", "2018-01-07T13:05:00+02:00|2018-01-07T13:05:00+0200|2018-01-07 13:05:00+02|2018-01-07T13:05+02:00|" +
			"2018-01-07T13:05+02:00[Europe/Kiev]|Sun, 7 Jan 2018 13:05:00 +0200 (EET)|Sun Jan 7 13:05:00 2018 +0200"},
		{"2018-01-07 13:05-07:00",
			"2018-01-07 13:05:00 -0700|[07/Jan/2018:13:05:36 -0700]|07/Jan/2018:13:05:36 -0700|2018-01-07 13:05:00\u221207:00"},
		{"1997-01-02 13:04+00:00", "852210240|852210240000"},
		{"2018-01-07", "2018-01-07|20180107|January 7, 2018|07.01.18|7-Jan-2018"},
		{"2018-01-07 00:05", "Jan 7, 2018 12:05 AM|2018-01-07 0:05"},
		{"01-07 13:05", "Jan  7 13:05:00|Jan 7 13:05:00.123"},
		{"", "garbage|2/1/2018|13/1/2018|1/13/2018|07-01-18|18-01-07|12:30|00:26:48|2018-13-01|2018-02-30|2018-02-29|31.02.2018|2018-01|" +
			"Jan-23|1.2.14|3.10.1|192.168.1.10|555-12-3456|123-45-6789|2022-W52|may|may 5|10 march|1,234|12345|" +
			"20181399|2018-01-07 25:00|2018-01-07 24:00:00|2016-12-31 23:59:60|2018-01-07 10|2018-01-07x|a1b2|10-20-30-40|1-2-3|1/2|Jan " +
			"45 2018|0 days 00:26:48|NaN|-|1e400|2014|3.14|1234567|5551234567|1.10.3|A4|12|v1.2|26.4 km|18:30 Uhr|" +
			"2018-W01-7T13:05|2018-007|0044-03-15 BC|-0044-03-15|-86400|2018-01-07 1:05 odp|2018-01-07 오후 1:05|2018-01-07 1:05 p.m.|7. " +
			"Januar 2018|2018-01-07 13:05 UTC+2|2018-01-07 13:05:00 +24:00|2018-01-07 13:05-14:30|" +
			"2018010713|20180107130500 14:05|4 Jan 2018.7|0x123p20|12340107|2018-01-07Z|2018-01-07 +0100|" + strings.Repeat("1", 99)},
	} {
		for field := range strings.SplitSeq(test.fields, "|") {
			for _, layout := range []string{anyTime, dayFirst, monthFirst} {
				if got := read(field, layout); got != test.want && !(strings.Count(field, "/") == 2 && test.want == "" &&
					layout != anyTime) {
					t.Errorf("%q by %q is %q, want %q", field, layout, got, test.want)
				}
			}
		}
	}
	for _, test := range []struct{ layout, field, want string }{
		{minutely, "2603251200", "2026-03-25 12:00"}, {minutely, "503251200", "2005-03-25 12:00"}, // a number of JSON
		{minutely, "2603251200.0", "2026-03-25 12:00"}, {minutely, "2026-03-25T12:00", "2026-03-25 12:00"}, {minutely, "1774440000", ""},
		{hourly, "26032512", "2026-03-25 12:00"}, {hourly, "20010112", "2020-01-01 12:00"}, {hourly, "20260325", ""}, {hourly, "NA", ""},
	} {
		filetest.Want(t, read(test.field, test.layout), test.want, "%q by %q", test.field, test.layout)
	}
	for field, want := range map[string][2]string{
		"2/1/2018": {"2018-01-02", "2018-02-01"}, "2/1/18 15:04": {"2018-01-02 15:04", "2018-02-01 15:04"},
		"02-01-2018": {"2018-01-02", "2018-02-01"}, "13/1/2018": {"2018-01-13", ""}, "1/13/2018 3:04:05 PM": {"", "2018-01-13 15:04"},
	} {
		filetest.Want(t, [2]string{read(field, dayFirst), read(field, monthFirst)}, want, "%q", field)
	}
}

// The zone of a column moves the clocks that name one. Layouts of models of before read no more than they did.
func TestZones(t *testing.T) {
	for _, test := range []struct{ layout, zone, hours string }{
		{anyTime, "", "12 12 12 12 12"}, {anyTime, "UTC", "12 12 11 6 12"}, {anyTime, "+01:00", "12 13 12 12 12"},
		{anyTime, "Europe/Berlin", "12 14 13 8 12"}, {anyTime, "Asia/Kolkata", "12 17 16 11 12"},
		{"2006-1-2T15:04:05", "UTC", "12 _ _ _ _"}, {time.RFC3339, "", "_ 12 12 12 _"}, {time.RFC3339, "Europe/Berlin", "_ 14 13 8 _"},
		{"2006-1-2", "", "_ _ _ _ _"}, {"Jan 2 15:04:05", "", "_ _ _ _ 12"},
	} {
		c := Column{Name: "at", Kind: Time, Reading: Times, Layout: test.layout, Zone: test.zone, Derived: []string{hourOf, weekdayOf}}
		inputs := Schema{Columns: []Column{c}}.Inputs()
		got := ""
		for _, field := range []string{"2026-07-05T12:00:00", "2026-07-05T12:00:00Z", "2026-07-05T12:00:00+01:00",
			"2026-07-05T12:00:00+06:00", "Jul 5 12:00:00"} {
			hour, _, _ := inputs[0].Read(Record{field})
			if got += cmp.Or(hour, "_") + " "; hour != "" && (weekday(inputs, field) != "Sunday") == (field[0] == '2') {
				t.Errorf("%q by %q, zone %q: %q", field, test.layout, test.zone, weekday(inputs, field))
			}
		}
		filetest.Want(t, strings.TrimSpace(got), test.hours, "by %q, zone %q", test.layout, test.zone)
	}
	for name, ok := range map[string]bool{"UTC": true, "Europe/Berlin": true, "-03:30": true, "Europe/Berln": false, "Local": false,
		"+1": false} {
		s := Schema{Target: Target{Column: "y", Kind: Amount}, Columns: []Column{{Name: "at", Kind: Time, Layout: anyTime, Zone: name,
			Derived: []string{hourOf}}, {Name: "y", Kind: Label}}}
		filetest.Want(t, s.Validate() == nil, ok, "zone %q is valid", name)
	}
}

func weekday(inputs []Input, field string) string {
	day, _, _ := inputs[1].Read(Record{field})
	return day
}

// A time that is written again in its layout is the same time.
func FuzzReadTime(f *testing.F) {
	for _, field := range []string{"2018-01-07 13:05:00.5+05:30", "Sun, 07 Jan 2018 1:05:00 pm CET", "[07/Jan/2018:13:05:36 -0700]",
		"07.01.18", "1515330300", "2/1/2018", "Jan 7 13:05:00"} {
		f.Add(field)
	}
	f.Fuzz(func(t *testing.T, field string) {
		for _, layout := range []string{anyTime, dayFirst, monthFirst} {
			var l, again lastTime
			if l.read(field, layout); !l.known || l.form == sinceEpoch {
				continue
			}
			text := l.time.Format(l.form.layout)
			if again.read(text, layout); !again.known || !again.time.Truncate(time.Second).Equal(l.time.Truncate(time.Second)) ||
				again.form.zone != l.form.zone {
				t.Fatalf("%q is %s by %q; written %q it is %s", field, l.time, l.form.layout, text, again.time)
			}
		}
	})
}

// The first rows tell the layout, the zone and the categories of a time. Nothing else is guessed.
func TestInferTimes(t *testing.T) {
	at := func(i int) time.Time { return time.Date(2026, 1, 1+i/9, i%24, i%60, 0, 0, time.UTC) }
	moved := func(layout string, days int) func(i int) string {
		return func(i int) string { return at(i).AddDate(0, 0, days).Format(layout) }
	}
	written := func(layout string) func(i int) string { return moved(layout, 0) }
	away := func(from, hours int) func(i int) string { // from UTC, with one hour more from a row on
		return func(i int) string {
			return at(i).In(time.FixedZone("", 3600*(hours+min(1, i/from)))).Format(time.RFC3339)
		}
	}
	first := func(n int, early, late string) func(i int) string {
		return func(i int) string {
			if i < n {
				return at(i % 100).Format(early)
			}
			return at(i).Format(late)
		}
	}
	for _, test := range []struct {
		name  string
		field func(i int) string
		want  string // kind, layout, zone, derived and a part of the note
	}{
		{"t", written("2006-01-02 15:04:05"), "time any  [hour weekday] a time: hour and weekday"},
		{"t", written(time.RFC3339), "time any UTC [hour weekday] "},
		{"t", away(999, 1), "time any +01:00 [hour weekday] "},
		{"t", away(200, 1), "time any  [hour weekday] several distances"},
		{"t", away(200, 0), "time any  [hour weekday] several distances"}, // such as of London
		{"t", written("January 02, 2006"), "time any  [weekday] a time: weekday"},
		{"t", written("Jan _2 15:04:05"), "time any  [hour] a time: hour"},
		{"t", written("20060102"), "time any  [weekday] a time: weekday; its digits are yyyymmdd"},
		{"t", written("02/01/2006"), "time any, day/month  [weekday] "},
		{"t", written("1/2/2006, 3:04:05 PM"), "time any, month/day  [hour weekday] "},
		{"t", first(399, "02/01/2006", "13/01/2006"), "time any, day/month  [weekday] "}, // one row of 400 tells
		{"t", first(399, "01/02/2006", "01/13/2006"), "time any, month/day  [weekday] "},
		{"t", first(400, "02/01/2006", ""), "category   [] cannot be told apart"},
		{"t", written("02/01/06"), "time any, day/month  [weekday] "},
		{"t", written("02.01.06"), "time any  [weekday] "},
		{"t", written("06/01/02"), "category   [] cannot be told apart"},
		{"t", written("06.01.02"), "category   [] cannot be told apart"},
		{"t", written("2006-01"), "category   [] "},
		{"t", written("Jan-06"), "category   [] "},
		{"t", first(30, "unknown", "2006-01-02 15:04:05"), "category   [] "}, // 7.5 %
		{"t", first(30, "N/A", "2006-01-02 15:04:05"), "time any  [hour weekday] "},
		{"t", first(10, "unknown", "2006-01-02 15:04:05"), "time any  [hour weekday] "},
		{"ts", func(i int) string { return strconv.FormatInt(at(i).UnixMilli(), 10) }, "time any UTC [hour weekday] since 1970"},
		// one 0
		{"ts", func(i int) string { return strconv.FormatInt(at(i).UnixMilli()*min(int64(i), 1), 10) }, "time any UTC [hour weekday] "},
		{"amount", func(i int) string { return strconv.FormatInt(at(i%9).Unix(), 10) }, "both   [] "},
		{"time", written("2006010215"), "number   [] looks like a time, and is not read"}, // or seconds of the year 2034
		{"ts", func(i int) string { return fmt.Sprintf("%d.5", at(i).Unix()) }, "time any UTC [hour weekday] since 1970"},
		{"time", written("06010215"), "time any, yymmddHH  [hour weekday] a time: hour and weekday; its digits are yymmddHH"},
		{"time", moved("06010215", -2200), "time any, yymmddHH  [hour weekday] its digits"}, // also 20010112
		{"time", written("0601021504"), "time any, yymmddHHMM  [hour weekday] a time: hour and weekday; its digits are yymmddHHMM"},
		{"time", moved("0601021504", -3200), "time any, yymmddHHMM  [hour weekday] its digits"}, // or seconds of 2024
		{"time", moved("0601021504", -7600), "time any, yymmddHHMM  [hour weekday] its digits"}, // with a zero before it
		{"time", written("0601021504.0"), "time any, yymmddHHMM  [hour weekday] its digits"},    // as data frames write it
		{"time", first(9, "NA", "0601021504"), "time any, yymmddHHMM  [hour weekday] its digits"},
		{"time", first(1, "2613011504", "0601021504"), "time any UTC [hour weekday] its digits are a number since 1970"}, // a month of 13
		{"time", func(i int) string { return written("0601021504")(i % 19) }, "time any UTC [hour weekday] a number since 1970"},
		{"time", func(i int) string { return written("0601021504")(i % 20) }, "time any, yymmddHHMM  [hour weekday] its digits"},
		{"time", func(i int) string { return fmt.Sprintf("260325%02d%02d", i/60, i%60) },
			"time any, yymmddHHMM  [hour weekday] its digits"},
		{"amount", written("0601021504"), "number   [] "},
		{"phone", moved("0601021504", -7600), "dropped   [] no value comes twice"},
		{"time", written("200601021504"), "time any  [hour weekday] its digits are yyyymmddHHMM"},
		{"time", written("060102150405"), "number   [] " + unread},
		{"time", written("060102"), "both   [] " + unread},
		{"time", moved("02012006", -1200), "category   [] " + unread}, // 20 and 22 may be a day and an hour
		{"time", written("02012006"), "category   [] " + unread},
		{"time", written("0201061504"), "dropped   [] " + unread}, // the first pair is no year
		{"time", written("2006002"), "both   [] " + unread},
		{"date", func(i int) string { return fmt.Sprint(46023 + float64(i)/9) }, "number   [] " + unread},
		{"t", first(4, "unknown", "2006-002"), "category   [] " + unread},
		{"t", func(i int) string { return fmt.Sprintf("2026-W%02d-%d", 1+i/20, 1+i%7) }, "category   [] " + unread},
		{"t", func(i int) string { return at(i).Format(time.DateOnly) + fmt.Sprintf("T%02d:00:00", i%6*4+4) }, // from 4:00
			"category   [] " + unread},
		{"t", func(i int) string { return at(i).Format("2006-01-02 ") + fmt.Sprintf("%02d:00", i%25) },
			`time any  [hour weekday] else, such as "2026-01-03 24:00", which ` + unread},
		{"t", written("2. Januar 2006"), "category   [] " + unread},
		{"t", written("2 de enero de 2006"), "category   [] " + unread},
		{"t", written("2006年1月2日"), "category   [] " + unread},
		{"t", written("2.1.2006 15.04"), "dropped   [] " + unread},
		{"t", written("2006-01-02 15.04.05"), "dropped   [] " + unread},
		{"version", first(5, "10.12.20 1.2", "10.12.2020 25.3"), "category   [] "},
	} {
		c := inferredColumn(t, 400, test.name, test.field, label)
		want, note, _ := strings.Cut(test.want, "] ")
		got := strings.TrimSuffix(fmt.Sprintf("%s %s %s %s", c.Kind, c.Layout, c.Zone, c.Derived), "]")
		filetest.Want(t, got, want, "%s such as %q", test.name, test.field(399))
		filetest.WantWords(t, c.Note, note)
	}
}
