package schema

import "testing"

// One number has one text, and a name keeps its own.
func TestValueOfNumbers(t *testing.T) {
	for _, test := range []struct {
		field string
		comma bool
		want  string // "": missing; "!" and the field: no number
	}{
		{"1", false, "1"}, {"1.0", false, "1"}, {"1e0", false, "1"}, {"1.", false, "1"}, {"+1", false, "1"}, {" 1 ", false, "1"},
		{"1165.0", false, "1165"},
		{"$1", false, "1"}, {"1 %", false, "1"}, {"100.00%", false, "100"}, {"true", false, "1"}, {"FALSE", false, "0"}, {"-0",
			false, "0"}, {"0E-8", false, "0"}, {"00.00%", false, "0"}, {"0 €", false, "0"},
		{"12.50", false, "12.5"}, {".5", false, "0.5"}, {"-.5", false, "-0.5"}, {"1e-07", false, "0.0000001"}, {"0.0000001",
			false, "0.0000001"}, {"1.6777216e+07", false, "16777216"},
		{"9007199254740993", false, "9007199254740993"}, {"9007199254740993.0", false, "9007199254740993"}, {"18446744073709551615",
			false, "18446744073709551615"},
		{"007", false, "007"}, {"007.5", false, "7.5"}, {"0", false, "0"}, {"00", false, "00"},
		{"1,234", false, "1234"}, {"1,234", true, "1.234"}, {"1.234", false, "1.234"}, {"1.234", true, "1234"}, {"66.22",
			true, "66.22"}, {"66,22", false, "66.22"}, {"66,22", true, "66.22"},
		{"1.234,5", false, "1234.5"}, {"1,234.5", true, "1234.5"}, {"0,125", false, "0.125"}, {"0.125", true, "0.125"}, {"1,26,978",
			false, "126978"}, {"1'234.5", false, "1234.5"}, {"26 440,92", true, "26440.92"},
		{"(26.44)", false, "-26.44"}, {"−6.44", false, "-6.44"}, {"-$6.44", false, "-6.44"}, {"$-6.44", false, "-6.44"}, {"($6.44)",
			false, "-6.44"}, {"6.44-", false, "-6.44"}, {"12,5%", false, "12.5"},
		{"1e22", false, "10000000000000000000000"}, {"10000000000000000000000", false, "10000000000000000000000"}, {"9007199254740992",
			false, "9007199254740992"}, {"0.10000000149011612", false, "0.10000000149011612"}, {"-0.0", false, "0"}, {"+0", false, "0"},
		{"1\u2009234.5", false, "1234.5"}, {"1\u00a0234", false, "1234"}, {"1’234’567", false, "1234567"}, {"1.234.567,89",
			false, "1234567.89"}, {"1.234.567", true, "1234567"}, {"1,234,567", true, "1234567"}, {"(1,234.50)", false, "-1234.5"},
		{"12,34,567.5", false, "1234567.5"},
		{"1.2e400", false, "!1.2e400"}, {"5-", false, "!5-"}, {"1_000", false, "!1_000"}, {"１", false, "!１"}, {"1 2 3",
			false, "!1 2 3"}, {"2026 01", false, "!2026 01"}, {"--5", false, "!--5"}, {"(5", false, "!(5"}, {"1e", false, "!1e"},
		{"26.44 USD", false, "!26.44 USD"}, {"1.234.567", false, "!1.234.567"}, {"½", false, "!½"}, {"5‰", false, "!5‰"}, {"Infinity",
			false, ""}, {"2.644e+01", true, "26.44"},
		{"NA", false, ""}, {"?", false, ""}, {"-", false, ""}, {"None", false, ""}, {"null", false, ""}, {"N/A", false, ""}, {"NaN",
			false, ""}, {"nan", false, ""}, {"<NA>", false, ""}, {"  ", false, ""}, {"", false, ""},
		{"unknown", false, "!unknown"}, {"192.168.100.200", false, "!192.168.100.200"}, {"1.2.3", false, "!1.2.3"}, {"0x10",
			false, "!0x10"}, {"1,2,3", false, "!1,2,3"}, {"inf", false, ""}, {"12 pieces", false, "!12 pieces"}, {"26.4 km",
			false, "!26.4 km"},
	} {
		c := Column{Reading: Numbers, DecimalComma: test.comma}
		got, ok := c.Value(test.field)
		if !ok {
			got = "!" + got
		}
		if got != test.want {
			t.Errorf("%q, comma %t: %q, want %q", test.field, test.comma, got, test.want)
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
		{Verbatim, " 1.0", " 1.0"}, {Verbatim, "NA", "NA"},
	} {
		c := Column{Reading: test.reading}
		if got, _ := c.Value(test.field); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.reading, test.field, got, test.want)
		}
	}
}

func BenchmarkValue(b *testing.B) {
	c := Column{Reading: Numbers}
	for b.Loop() {
		c.Value("12.5")
		c.Value("1234")
		c.Value("12.50")
	}
}
