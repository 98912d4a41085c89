package commandline

import (
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"signet/internal/span"
)

// Spans is kong's option by which flags of the type time.Duration are read as durations
// are everywhere.
func Spans() kong.Option {
	return kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(readSpan))
}

func readSpan(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("duration", &text); err != nil {
		return err
	}
	d, err := ParseSpan(text)
	if err == nil {
		target.SetInt(int64(d))
	}
	return err
}

// ParseSpan reads a length of time, which is not negative.
func ParseSpan(s string) (time.Duration, error) {
	d, err := span.Parse(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("want a duration such as 30s, 90m, 8h or 7d, not %q", s)
	}
	return d, err
}
