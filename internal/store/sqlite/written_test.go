package sqlite

import "testing"

func TestEngineNoticesWhatAnotherProcessWrites(t *testing.T) {
	e := mustOpen(t, Options{})
	asked := func(want bool, after string) {
		t.Helper()
		if got, err := e.WrittenBeside(t.Context()); err != nil || got != want {
			t.Errorf("after %s: got %v, %v, want %v", after, got, err, want)
		}
	}
	asked(true, "it was opened")
	asked(false, "nothing")
	if err := e.Update(t.Context(), insert("own")); err != nil {
		t.Fatal(err)
	}
	asked(false, "a write of its own")
	command := mustOpenAt(t, e.path, Options{Beside: true})
	if _, err := e.WrittenBeside(t.Context()); err != nil { // it may write when it opens
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		if err := command.Update(t.Context(), insert(name)); err != nil {
			t.Fatal(err)
		}
	}
	asked(true, "a command wrote")
	asked(false, "it was asked")
	if err := e.Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked(false, "an erasure of its own")
}
