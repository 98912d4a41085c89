package input

import (
	"math"
	"strconv"
	"strings"
)

// Int returns a whole number. A JSON number may be written with a fraction or an
// exponent if it is whole all the same (`30.0`, `1e2`): some languages have no
// other numbers. In a text it is digits with an optional minus.
func (f *Fields) Int(name string) int {
	n, _ := f.integer(name)
	return n
}

// OptionalInt returns a whole number, or nil where the field is absent.
func (f *Fields) OptionalInt(name string) *int {
	if n, ok := f.integer(name); ok {
		return &n
	}
	return nil
}

// IntBetween returns a whole number from low to high, and absent where the field
// is not there.
func (f *Fields) IntBetween(name string, low, high, absent int) int {
	n, ok := f.integer(name)
	if !ok {
		return absent
	}
	if n < low || n > high {
		f.Wrong(name, "a whole number from "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
		return absent
	}
	return n
}

// OptionalCount returns a whole number of 64 bits that is not negative, or nil where the
// field is absent.
func (f *Fields) OptionalCount(name string) *int64 {
	n, ok := f.integer64(name)
	switch {
	case !ok:
		return nil
	case n < 0:
		f.Wrong(name, "a whole number that is not negative")
		return nil
	}
	return &n
}

func (f *Fields) integer(name string) (int, bool) {
	n, ok := f.integer64(name)
	if ok && (n > math.MaxInt || n < math.MinInt) {
		f.Wrong(name, "a whole number")
		return 0, false
	}
	return int(n), ok
}

func (f *Fields) integer64(name string) (int64, bool) {
	given := f.filled(name)
	if given == nil {
		return 0, false
	}
	var n int64
	ok := false
	switch given.kind {
	case numberKind:
		n, ok = wholeNumber(given.text)
	case textKind, formKind:
		n, ok = digits(given.text)
	}
	if !ok {
		f.Wrong(name, "a whole number")
		return 0, false
	}
	return n, true
}

// Bool returns a boolean, false where the field is absent. True and false, 1 and
// 0, and the texts of these are booleans.
func (f *Fields) Bool(name string) bool {
	b, _ := f.boolean(name)
	return b
}

// OptionalBool returns a boolean, or nil where the field is absent.
func (f *Fields) OptionalBool(name string) *bool {
	if b, ok := f.boolean(name); ok {
		return &b
	}
	return nil
}

func (f *Fields) boolean(name string) (value, ok bool) {
	given := f.filled(name)
	if given == nil {
		return false, false
	}
	if given.kind != listKind && given.kind != objectKind {
		switch {
		case given.text == "1", strings.EqualFold(given.text, "true"):
			return true, true
		case given.text == "0", strings.EqualFold(given.text, "false"):
			return false, true
		}
	}
	f.Wrong(name, "true or false")
	return false, false
}

// digits reads a whole number from a text.
func digits(s string) (int64, bool) {
	if strings.HasPrefix(s, "+") {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// wholeNumber reads a JSON number whose value is whole, without the loss that a
// detour through floating point would bring.
func wholeNumber(s string) (int64, bool) {
	if n, ok := digits(s); ok {
		return n, true
	}
	s, negative := strings.CutPrefix(s, "-")
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		var err error
		if exponent, err = strconv.Atoi(s[i+1:]); err != nil {
			// Past an int: only zero is whole or small enough with it.
			return 0, strings.Trim(mantissa, "0.") == ""
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction = strings.TrimRight(fraction, "0")
	figures := strings.TrimLeft(whole+fraction, "0")
	if figures == "" {
		return 0, true
	}
	// The value is figures × 10^shift.
	const longest = 19 // figures of an int64
	shift := exponent - len(fraction)
	if shift > longest || shift < -len(figures) {
		return 0, false
	}
	for shift < 0 {
		var zero bool
		if figures, zero = strings.CutSuffix(figures, "0"); !zero {
			return 0, false
		}
		shift++
	}
	if len(figures)+shift > longest {
		return 0, false
	}
	figures += strings.Repeat("0", shift)
	if negative {
		figures = "-" + figures
	}
	n, err := strconv.ParseInt(figures, 10, 64)
	return n, err == nil
}
