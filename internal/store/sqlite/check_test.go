package sqlite

import (
	"fmt"
	"os"
	"testing"
)

func TestCheckFindsWhatIsWrongWithAFile(t *testing.T) {
	e := mustOpen(t, Options{})
	for i := range 100 {
		if err := e.Update(t.Context(), insert(fmt.Sprint(i), make([]byte, 10*i)...)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(sound bool) (pages int64) {
		t.Helper()
		var lines []string
		pages, err := Check(t.Context(), e.path, func(line string) { lines = append(lines, line) })
		if err != nil || (len(lines) == 0) != sound {
			t.Errorf("%d pages, error %v: %q", pages, err, lines)
		}
		return pages
	}
	check(true) // beside the engine
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	pages := check(true)
	text := mustReadAll(t, e.path)
	if pages*pageSize != int64(len(text)) {
		t.Errorf("%d pages, and the file has %d bytes", pages, len(text))
	}
	clear(text[len(text)-2*pageSize : len(text)-pageSize])
	if err := os.WriteFile(e.path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	check(false)
}
