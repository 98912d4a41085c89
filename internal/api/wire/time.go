package wire

import "time"

// Time is a time as the interface writes it: ISO 8601 in UTC with exactly
// three digits of milliseconds, which clients parse by position. What is finer
// is cut off. The zero time is for fields with `omitzero`.
type Time time.Time

const timeLayout = "2006-01-02T15:04:05.000Z"

// IsZero reports whether there is no time.
func (t Time) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON writes the time as a JSON string.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.appendJSON(make([]byte, 0, len(timeLayout)+2)), nil
}

// append writes the time. Polls write hundreds, and to read the layout each time
// costs more than the writing.
func (t Time) append(b []byte) []byte {
	at := time.Time(t).UTC()
	year, month, day := at.Date()
	if year < 0 || year > 9999 {
		return at.AppendFormat(b, timeLayout)
	}
	hour, minute, second := at.Clock()
	b = appendDigits(b, year/100, year%100)
	b = appendDigits(append(b, '-'), int(month))
	b = appendDigits(append(b, '-'), day)
	b = appendDigits(append(b, 'T'), hour)
	b = appendDigits(append(b, ':'), minute)
	b = appendDigits(append(b, ':'), second)
	ms := at.Nanosecond() / int(time.Millisecond)
	return append(appendDigits(append(b, '.', '0'+byte(ms/100)), ms%100), 'Z')
}

// appendDigits appends numbers below 100 with two digits each.
func appendDigits(b []byte, numbers ...int) []byte {
	for _, n := range numbers {
		b = append(b, '0'+byte(n/10), '0'+byte(n%10))
	}
	return b
}
