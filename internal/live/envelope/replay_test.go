package envelope

import (
	"testing"

	"pgregory.net/rapid"
)

// A number is new once, in whatever order they come; what is too old for the window
// counts as known.
func TestMessageIsHeardOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s seen
		heard, newest := map[uint64]bool{}, uint64(0)
		steps := rapid.SliceOfN(rapid.Int64Range(-2*replayWindow, 2*replayWindow), 1, 200).Draw(t, "steps")
		for _, step := range steps {
			if rapid.Bool().Draw(t, "near") {
				step %= 5
			}
			number := uint64(max(0, int64(newest)+step))
			want := number > 0 && !heard[number] && number+replayWindow > newest
			if got := s.first(number); got != want {
				t.Fatalf("after %d, %d is new: %v, want %v", newest, number, got, want)
			}
			if want {
				heard[number], newest = true, max(newest, number)
			}
		}
	})
}
