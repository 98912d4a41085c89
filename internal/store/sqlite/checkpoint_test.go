package sqlite

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"signet/internal/store"
	"signet/internal/testenv"
)

// hurry makes checkpoints come more often.
func hurry(t testing.TB, e *Engine, every int, patience time.Duration) {
	t.Helper()
	err := e.writer.do(t.Context(), func() error {
		e.writer.checkpoints.every, e.writer.checkpoints.patience = every, patience
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

const (
	// hurried is after how many pages the engines of these tests make a checkpoint.
	hurried = 100
	// frameSize is what a page takes in the log.
	frameSize = int64(pageSize + 24)
)

// mustOpenHurried opens an engine that is in a hurry to make checkpoints.
func mustOpenHurried(t *testing.T, patience time.Duration) *Engine {
	t.Helper()
	e := mustOpen(t, Options{Readers: 4})
	hurry(t, e, hurried, patience)
	return e
}

// mustLogSize returns how many bytes the log of an engine has.
func mustLogSize(t *testing.T, e *Engine) int64 {
	t.Helper()
	info, err := os.Stat(e.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// mustFillLog puts so many pages into the log, and some more.
func mustFillLog(t *testing.T, e *Engine, pages int) {
	t.Helper()
	if err := fillLog(e, pages); err != nil {
		t.Fatal(err)
	}
}

func fillLog(e *Engine, pages int) error {
	content := make([]byte, 20*pageSize)
	for written := 0; written < pages; written += 20 {
		rand.Read(content) // SQLite does not write a page that stays the same
		err := e.Update(context.Background(), func(s store.Session) error {
			_, err := s.Exec(`INSERT INTO items (name, content) VALUES (?, ?)
					ON CONFLICT (name) DO UPDATE SET content = excluded.content`, fmt.Sprint(written%1000), content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hurriedLog is how long the log of such an engine becomes at most: when it is to start again, a
// checkpoint beside the writer may have begun, as many pages as are between two are written before the
// writer waits for that, and some more by single transactions.
const hurriedLog = (restartTimes + 3) * hurried

func TestCheckpointKeepsTheLogShort(t *testing.T) {
	e := mustOpenHurried(t, time.Minute)
	mustFillLog(t, e, 20*hurried)
	if made := e.Stats().Checkpoints; made < 4 {
		t.Errorf("%d checkpoints were made", made)
	}
	if size, limit := mustLogSize(t, e), hurriedLog*frameSize; size > limit {
		t.Errorf("the log has %d bytes, want at most %d", size, limit)
	}
	wantIntact(t, e.path)
}

// The longer the log is, the longer the writer waits for those that read, within reason.
func TestALongLogIsWorthWaitingFor(t *testing.T) {
	cp := checkpoints{every: hurried, patience: time.Second}
	for frames, want := range map[int]time.Duration{
		0: time.Second, restartTimes * hurried: time.Second, 3 * restartTimes * hurried: 3 * time.Second,
		1000 * restartTimes * hurried: restartPatient * time.Second,
	} {
		cp.seen.frames = frames
		if waits := cp.waits(); waits != want {
			t.Errorf("with %d pages in the log the writer waits for %v, want %v", frames, waits, want)
		}
	}
}

func TestCheckpointKeepsTheLogShortWhileOthersReadAllTheTime(t *testing.T) {
	testenv.Long(t)
	e := mustOpenHurried(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	readers := make(chan error, 4)
	for range cap(readers) {
		go func() {
			for ctx.Err() == nil {
				err := e.View(context.Background(), func(s store.Session) error {
					if _, err := count(s); err != nil {
						return err
					}
					// Long enough that the next reader has begun when it ends.
					return s.Query(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
							SELECT count(*) FROM n`, nil, func(store.Row) error { return nil })
				})
				if err != nil {
					readers <- err
					return
				}
			}
			readers <- nil
		}()
	}
	mustFillLog(t, e, 16*hurried)
	cancel()
	for range cap(readers) {
		if err := <-readers; err != nil {
			t.Error(err)
		}
	}
	if size, limit := mustLogSize(t, e), hurriedLog*frameSize; size > limit {
		t.Errorf("the log has %d bytes, want at most %d", size, limit)
	}
}

// What is counted goes on where the log starts again from its beginning.
func TestPagesOfTheLogAreCounted(t *testing.T) {
	e := mustOpen(t, Options{})
	const some = 50
	write := func() uint64 {
		t.Helper()
		before := mustCountPages(t, e)
		for range some {
			content := make([]byte, 100)
			rand.Read(content) // SQLite does not write a page that stays the same
			err := e.Update(t.Context(), func(s store.Session) error {
				_, err := s.Exec(`INSERT INTO items (name, content) VALUES ('one', ?)
						ON CONFLICT (name) DO UPDATE SET content = excluded.content`, content)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return mustCountPages(t, e) - before
	}
	write() // the first takes more
	state := mustReadLogState(t, e)
	pages := write()
	if grown := mustReadLogState(t, e).since(state); pages != uint64(grown) || pages < some {
		t.Errorf("%d pages were counted, and the log has %d more", pages, grown)
	}
	hurry(t, e, some/4, time.Minute)
	for range 10 {
		if got := write(); got != pages {
			t.Errorf("%d pages were counted with checkpoints, %d without", got, pages)
		}
	}
	if made := e.Stats().Checkpoints; made < 10 {
		t.Errorf("%d checkpoints were made", made)
	}
}

// mustCountPages returns how many pages an engine wrote to its log, once its writer has nothing
// left to do.
func mustCountPages(t *testing.T, e *Engine) uint64 {
	t.Helper()
	if err := e.writer.do(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	return e.Stats().LogPages
}

func mustReadLogState(t *testing.T, e *Engine) logState {
	t.Helper()
	state, err := e.writer.files.logState()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestCheckpointRecoversFromAViewThatLasts(t *testing.T) {
	e := mustOpenHurried(t, 0)
	err := e.View(t.Context(), func(s store.Session) error {
		if _, err := count(s); err != nil {
			return err
		}
		mustFillLog(t, e, 10*hurried)
		n, err := count(s)
		if n != 0 {
			t.Errorf("the View sees %d items, want none", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mustFillLog(t, e, 2*hurried)
	if err := e.Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if size := mustLogSize(t, e); size != 0 {
		t.Errorf("the log has %d bytes after Erase", size)
	}
	wantIntact(t, e.path)
}

func TestCheckpointIsLoggedOnceWhenItFails(t *testing.T) {
	var out bytes.Buffer
	e := mustOpen(t, Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	err := e.writer.do(t.Context(), func() error {
		for _, err := range []error{nil, errReading, errMine, errMine, errReading, nil, nil, errMine} {
			e.writer.report(err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "checkpoint failed"); n != 2 {
		t.Errorf("%d failures were logged, want 2:\n%s", n, out.String())
	}
	if n := strings.Count(out.String(), "succeed again"); n != 1 {
		t.Errorf("%d recoveries were logged, want 1:\n%s", n, out.String())
	}
}

func TestCheckpointKnowsThePagesOfALogOfManyBlocks(t *testing.T) {
	testenv.Long(t)
	e := mustOpen(t, Options{})
	err := e.View(t.Context(), func(s store.Session) error { // nothing restarts the log meanwhile
		if _, err := count(s); err != nil {
			return err
		}
		mustFillLog(t, e, blockNumbers+600)
		return e.writer.do(t.Context(), func() error {
			state, err := e.writer.files.logState()
			if err != nil {
				return err
			}
			got, err := e.writer.files.logPages(nil, 3, state.frames)
			if err != nil {
				return err
			}
			want, err := framePages(e.path+"-wal", state.frames)
			if err != nil {
				return err
			}
			for i, page := range want[3:] {
				if got[i] != page {
					return fmt.Errorf("frame %d holds page %d, want %d", i+4, got[i], page)
				}
			}
			if len(got) != len(want)-3 || len(got) < blockNumbers+500 {
				return errors.New("too few frames")
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// framePages reads the page numbers from the headers of the log's frames.
func framePages(path string, frames int) (pages []uint32, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for frame := range frames {
		header := content[32+frame*(pageSize+24):]
		pages = append(pages, uint32(header[0])<<24|uint32(header[1])<<16|uint32(header[2])<<8|uint32(header[3]))
	}
	return pages, nil
}
