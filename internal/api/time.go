package api

import "time"

// wireTime is a time as the interface writes it: ISO 8601 in UTC with exactly
// three digits of milliseconds, which clients parse by position. What is finer
// is cut off. The zero time is for fields with `omitzero`.
type wireTime time.Time

const wireTimeLayout = "2006-01-02T15:04:05.000Z"

// IsZero reports whether there is no time.
func (t wireTime) IsZero() bool { return time.Time(t).IsZero() }

// MarshalJSON writes the time as a JSON string.
func (t wireTime) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(wireTimeLayout)+2)
	b = append(b, '"')
	b = time.Time(t).UTC().AppendFormat(b, wireTimeLayout)
	return append(b, '"'), nil
}

// Time returns a field that is a time in ISO 8601, or the zero time.
func (f *fields) Time(name string) time.Time {
	text := f.Text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1970 {
		f.wrong(name, "a time such as 2026-11-21T08:15:30Z")
		return time.Time{}
	}
	return t
}
