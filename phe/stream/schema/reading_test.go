package schema

import (
	"strings"
	"testing"

	"gophe/phe/disk/filetest"
)

// One number has one text, and a name keeps its own.
func TestValueOfNumbers(t *testing.T) {
	for _, test := range []struct {
		want   string
		comma  bool
		fields string
	}{
		{"1", false, "1|1.0|1e0|1.|+1| 1 |$1|1 %|true"}, {"1165", false, "1165.0"}, {"100", false, "100.00%"},
		{"0", false, "FALSE|-0|0E-8|00.00%|0 €|0|-0.0|+0"}, {"12.5", false, "12.50|12,5%"}, {"0.5", false, ".5"}, {"-0.5", false, "-.5"},
		{"0.0000001", false, "1e-07|0.0000001"}, {"16777216", false, "1.6777216e+07"},
		{"9007199254740993", false, "9007199254740993|9007199254740993.0"}, {"18446744073709551615", false, "18446744073709551615"},
		{"007", false, "007"}, {"7.5", false, "007.5"}, {"00", false, "00"}, {"1234", false, "1,234|1\u00a0234"},
		{"1.234", true, "1,234"}, {"1.234", false, "1.234"}, {"1234", true, "1.234"}, {"66.22", true, "66.22|66,22"},
		{"66.22", false, "66,22"}, {"1234.5", false, "1.234,5|1'234.5|1\u2009234.5"}, {"1234.5", true, "1,234.5"},
		{"0.125", false, "0,125"}, {"0.125", true, "0.125"}, {"126978", false, "1,26,978"}, {"26440.92", true, "26 440,92"},
		{"-26.44", false, "(26.44)"}, {"-6.44", false, "−6.44|-$6.44|$-6.44|($6.44)|6.44-"}, {"5", false, "5,- €|5.-"},
		{"10000000000000000000000", false, "1e22|10000000000000000000000"}, {"9007199254740992", false, "9007199254740992"},
		{"0.10000000149011612", false, "0.10000000149011612"}, {"1234567", false, "1’234’567"}, {"1234567.89", false, "1.234.567,89"},
		{"1234567", true, "1.234.567|1,234,567"}, {"-1234.5", false, "(1,234.50)"}, {"1234567.5", false, "12,34,567.5"},
		{"no number", false, "1.2e400|5-|1_000|１|1 2 3|2026 01|--5|(5|1e|26.44 USD|1.234.567|½|5‰|unknown|192.168.100.200|1.2.3|0x10|" +
			"1,2,3|12 pieces|26.4 km"},
		{"missing", false, "Infinity|NA|?|-|None|null|N/A|NaN|nan|<NA>|  ||inf"}, {"26.44", true, "2.644e+01"},
	} {
		for field := range strings.SplitSeq(test.fields, "|") {
			c := Column{Reading: Numbers, DecimalComma: test.comma}
			got, ok := c.Value(field)
			if !ok && got == field {
				got = "no number"
			} else if got == "" {
				got = "missing"
			}
			filetest.Want(t, got, test.want, "%q, comma %t", field, test.comma)
		}
	}
}

func TestValueOfWords(t *testing.T) {
	for _, test := range []struct {
		reading     Reading
		field, want string
	}{
		{Truth, "True", "true"}, {Truth, "TRUE", "true"}, {Truth, "1", "true"}, {Truth, "1.0", "true"}, {Truth, "0", "false"},
		{Truth, "None", ""}, {Truth, "yes", "yes"}, {Truth, "t", "t"}, {Versions, "1.10", "1.10"}, {Versions, " 1.10", "1.10"},
		{Versions, "NA", ""}, {Times, "NaT", ""},
		{Text, " s0", "s0"}, {Text, "s0\u00a0", "s0"}, {Text, "Gro\u0308ße", "Größe"}, {Text, "NA", "NA"}, {Text, "-", "-"},
		{Text, "Spain", "Spain"}, {Text, "SPAIN", "SPAIN"}, {Text, "\xe4", "\xe4"}, {Text, "007", "007"}, {Text, "1.0", "1.0"},
		{Text, "1.234e-0", "1.234"}, {Text, "1.50e-0", "1.50"}, {Text, "Joe0", "Joe0"},
		{Text, "a\r\nb\r\r\nc\rd\r\n", "a\nb\nc\rd"},
		{Verbatim, " 1.0", " 1.0"}, {Verbatim, "NA", "NA"},
	} {
		c := Column{Reading: test.reading}
		got, _ := c.Value(test.field)
		filetest.Want(t, got, test.want, "%s %q", test.reading, test.field)
	}
}
