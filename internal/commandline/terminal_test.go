package commandline

import (
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); m.Run() }

func TestPlainTakesAwayWhatMovesACursor(t *testing.T) {
	if got := Plain("a\x1b[2Jb\nc\u202ed\u2028e"); got != "a [2Jb c d e" {
		t.Errorf("got %q", got)
	}
}
