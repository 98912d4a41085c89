package cli

import (
	"fmt"
	"strconv"
	"time"

	"signet/client"
	"signet/internal/commandline"
)

// lifetime is how long a message is kept, in minutes, as a flag: a number of
// minutes, a time such as 8h or 7d, or never.
type lifetime int

// UnmarshalText reads the flag. Whether a lifetime is allowed is for the server
// to say.
func (l *lifetime) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "never" {
		*l = client.Forever
		return nil
	}
	if n, err := strconv.Atoi(s); err == nil {
		*l = lifetime(n)
		return nil
	}
	d, err := commandline.ParseSpan(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("want a number of minutes, a time such as 90m, 8h or 7d, or never, not %q", s)
	}
	*l = lifetime((d + time.Minute - 1) / time.Minute)
	return nil
}

// minutes returns the lifetime as the client takes it; nil is none.
func (l *lifetime) minutes() *int {
	if l == nil {
		return nil
	}
	return new(int(*l))
}

// span is a length of time as a flag: like Go's, and with days (7d).
type span time.Duration

// UnmarshalText reads the flag.
func (s *span) UnmarshalText(text []byte) error {
	d, err := commandline.ParseSpan(string(text))
	if err != nil {
		return err
	}
	*s = span(d)
	return nil
}
