package input

import "time"

// Time returns a field that is a time in ISO 8601, or the zero time.
func (f *Fields) Time(name string) time.Time {
	text := f.Text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 1970 {
		f.Wrong(name, "a time such as 2026-11-21T08:15:30Z")
		return time.Time{}
	}
	return t
}
