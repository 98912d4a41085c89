package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"signet/internal/store"
)

// killedWriters is how many callers the process has that is killed.
const killedWriters = 4

// writeForever adds items for some callers, and says the name of each on a line of its own once it
// is written. Checkpoints come every few of them.
func writeForever(path string) error {
	e, err := Open(path, Options{CacheBytes: smallCache})
	if err != nil {
		return err
	}
	err = e.writer.do(context.Background(), func() error {
		e.writer.checkpoints.every = 30
		return nil
	})
	if err != nil {
		return err
	}
	failed := make(chan error)
	for caller := range killedWriters {
		go func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("item %d-%d-%d", os.Getpid(), caller, i)
				if err := e.Update(context.Background(), insert(name, random(997*i%(20*pageSize))...)); err != nil {
					failed <- err
					return
				}
				if _, err := fmt.Println(name); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// A process that writes all the time is killed at any moment. All that it said is there, and of what it
// did not say at most what each caller was about to.
func TestKilledProcessLeavesWhatItAcknowledged(t *testing.T) {
	e := mustOpen(t, Options{})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	acknowledged := make(map[string]bool)
	for round := range 8 {
		child := exec.Command(os.Args[0], "write", e.path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for said := 1; lines.Scan(); said++ {
			name, item := strings.CutPrefix(lines.Text(), "item ")
			if !item {
				t.Errorf("the process says %q", lines.Text())
			}
			acknowledged[name] = true
			if said == 20+25*round {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait() // it was killed
		wantAcknowledged(t, e.path, acknowledged, (round+1)*killedWriters)
	}
}

// wantAcknowledged wants all of these items in a database, and a few more at most.
func wantAcknowledged(t *testing.T, path string, acknowledged map[string]bool, more int) {
	t.Helper()
	e, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]bool)
	err = e.View(t.Context(), func(s store.Session) error {
		return s.Query(`SELECT name FROM items`, nil, func(r store.Row) error {
			var name string
			err := r.Scan(&name)
			found[strings.TrimPrefix(name, "item ")] = true
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range acknowledged {
		if !found[name] {
			t.Errorf("%s was acknowledged, and is gone", name)
		}
	}
	if len(found) > len(acknowledged)+more {
		t.Errorf("%d items are there, of %d that were acknowledged", len(found), len(acknowledged))
	}
	wantIntact(t, path)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}
