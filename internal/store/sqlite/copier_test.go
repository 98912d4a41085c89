package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"signet/internal/store"
)

// beside runs a function on the writer's goroutine while a checkpoint of all that is in the log is made
// beside it, or has just been made: the writer has not heard of its end.
func beside(e *Engine, ended bool, fn func(w *writer) error) error {
	w := e.writer
	return w.do(context.Background(), func() error {
		w.settle()
		state, err := w.look()
		if err != nil {
			return err
		}
		if err := w.copyBeside(state); err != nil {
			return err
		}
		if ended {
			<-w.copier.done
		}
		return fn(w)
	})
}

// commitItem writes an item on the writer's goroutine, as a batch does.
func (w *writer) commitItem(name string) error {
	if err := w.begin(); err != nil {
		return err
	}
	s := &session{c: w.c, writer: w, ctx: context.Background()}
	if err := insert(name, random(2*pageSize)...)(s); err != nil {
		return err
	}
	if err := w.commit(); err != nil {
		return err
	}
	w.tend()
	return nil
}

// With the log in the file to its end, the next transaction starts it again, and the list of its pages
// is gone. That they are to be scrubbed was noted before.
func TestLogStartsAgainBeforeTheWriterHearsOfACheckpoint(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 30)
	for range 10 {
		c.change(40)
	}
	c.erase()
	c.change(2)
	err := beside(e, true, func(w *writer) error {
		listed, made := w.checkpoints.listed, w.stats.checkpoints.Load()
		if listed.frames == 0 || w.checkpoints.unscrubbed.size == 0 {
			t.Errorf("%d pages are listed, %d to be scrubbed", listed.frames, w.checkpoints.unscrubbed.size)
		}
		if err := w.commitItem("after"); err != nil {
			return err
		}
		state, err := w.files.logState()
		if err != nil || state.salt == listed.salt {
			t.Errorf("the log goes on: %+v, %v", state, err)
		}
		before := w.checkpoints.unscrubbed.size
		w.settle()
		if got := w.stats.checkpoints.Load() - made; got != 1 {
			t.Errorf("%d checkpoints were counted, want 1", got)
		}
		if after := w.checkpoints.unscrubbed.size; after != before || after >= int(state.pages) {
			t.Errorf("%d of %d pages are to be scrubbed, want the %d that were known", after, state.pages, before)
		}
		if now := w.checkpoints.listed; now.salt != state.salt || now.frames != 0 {
			t.Errorf("%+v is listed, of a log of which nothing was copied", now)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c.erase()
	c.wantErased(e.path)
}

// What is written while a checkpoint is made is copied by the writer. Where the checkpoint was the
// faster, the log has started again instead.
func TestWriterCopiesWhatWasWrittenBesideACheckpoint(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 31)
	for round := range 20 {
		c.change(10)
		err := beside(e, false, func(w *writer) error {
			if err := w.commitItem(fmt.Sprint(round)); err != nil {
				return err
			}
			w.settle()
			state, err := w.files.logState()
			if err == nil && state.salt == w.copier.began.salt && state.backfilled < state.frames {
				t.Errorf("%d of %d pages are in the file", state.backfilled, state.frames)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.erase()
	c.wantErased(e.path)
}

// A command's pages come into the log just as the checkpoint begins, and it starts the log again
// before the writer looks.
func TestEraseReachesWhatACommandWroteAsACheckpointBegan(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 32)
	c.change(40)
	c.erase()
	command := mustOpenAt(t, e.path, Options{Beside: true})
	for range 5 {
		c.e = command
		err := e.writer.do(t.Context(), func() error {
			w := e.writer
			state, err := w.look()
			if err == nil {
				err = w.list(state)
			}
			if err != nil {
				return err
			}
			for range 10 {
				c.change(40)
			}
			w.copier.start(state)
			<-w.copier.done
			c.change(1)
			w.settle()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c.e = e
		c.erase()
		c.wantErased(e.path)
	}
}

// A reader holds on to pages of the log: the checkpoint leaves them, and what was noted of them is
// noted again.
func TestEraseReachesWhatACheckpointHadToLeave(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 33)
	for range 10 {
		c.change(40)
	}
	err := e.View(t.Context(), func(s store.Session) error {
		if _, err := count(s); err != nil {
			return err
		}
		for range 10 {
			c.change(40)
		}
		return beside(e, true, func(w *writer) error {
			w.settle()
			state, err := w.files.logState()
			if err != nil {
				return err
			}
			if listed := w.checkpoints.listed; listed.frames != state.backfilled || listed.frames == state.frames {
				t.Errorf("%d pages are listed for good, %d of %d copied", listed.frames, state.backfilled, state.frames)
			}
			return w.scrub(w.checkpoints.unscrubbed.size) // those that were left, too
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	c.erase()
	c.wantErased(e.path)
}

// holdCheckpoints keeps other processes from making a checkpoint, until its input ends.
func holdCheckpoints(path string) error {
	index, err := os.OpenFile(path+"-shm", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := lockCheckpoints(index); err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, index.Close())
}

// mustHoldCheckpoints starts a process that makes a checkpoint, as it seems to this one, until release is
// called.
func mustHoldCheckpoints(t *testing.T, path string) (release func()) {
	t.Helper()
	child := exec.Command(os.Args[0], "hold", path)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Errorf("the process says %q, %v", line, err)
	}
	return func() {
		t.Helper()
		if err := errors.Join(in.Close(), child.Wait()); err != nil {
			t.Fatal(err)
		}
	}
}

// A checkpoint that is not made, because another process makes one, tells no number of pages.
func TestEraseReachesAllPagesAfterACheckpointThatAnotherProcessHeldUp(t *testing.T) {
	e := mustOpen(t, Options{})
	c := newCanaries(t, e, 34)
	for range 20 {
		c.change(40)
	}
	release := mustHoldCheckpoints(t, e.path)
	err := beside(e, true, func(w *writer) error {
		w.settle()
		state, err := w.files.logState()
		if err != nil || state.backfilled > 0 {
			t.Errorf("the log is in the state %+v, %v, and nothing of it was to be copied", state, err)
		}
		if n := w.checkpoints.listed.frames; n != 0 {
			t.Errorf("%d pages are listed for good, want none", n)
		}
		return nil
	})
	release()
	if err != nil {
		t.Fatal(err)
	}
	c.erase()
	c.wantErased(e.path)
}

// Whoever writes more than the disk takes waits, or the log would grow for as long.
func TestWriterWaitsForACheckpointThatLags(t *testing.T) {
	e := mustOpenHurried(t, time.Minute)
	w := e.writer
	var began logState
	err := w.do(t.Context(), func() (err error) {
		if began, err = w.look(); err != nil {
			return err
		}
		w.copier.running, w.copier.began = true, began // one that copies nothing yet
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	filled := make(chan error, 1)
	go func() { filled <- fillLog(e, 10*hurried) }()
	for mustReadLogState(t, e).since(began) < hurried {
		runtime.Gosched()
	}
	before := mustReadLogState(t, e).frames
	for len(w.requests) == 0 { // until the next one waits
		runtime.Gosched()
	}
	if after := mustReadLogState(t, e).frames; after != before {
		t.Errorf("the log goes on: it has %d pages, and had %d", after, before)
	}
	w.copier.ended <- copied{frames: began.frames, home: began.backfilled}
	if err := <-filled; err != nil {
		t.Fatal(err)
	}
	if size, limit := mustLogSize(t, e), hurriedLog*frameSize; size > limit {
		t.Errorf("the log has %d bytes, want at most %d", size, limit)
	}
}

func TestCheckpointThatFailsBesideTheWriterIsMadeAgain(t *testing.T) {
	var out bytes.Buffer
	e := mustOpen(t, Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	hurry(t, e, hurried, time.Minute)
	before := e.Stats().Checkpoints
	mend := mustBreakCopier(t, e)
	mustFillLog(t, e, 4*hurried)
	mend()
	if made := e.Stats().Checkpoints - before; made > 0 {
		t.Errorf("%d checkpoints were made of a file that cannot be synchronized", made)
	}
	mustFillLog(t, e, 10*hurried)
	if made := e.Stats().Checkpoints - before; made == 0 {
		t.Error("no checkpoint was made once the file could be synchronized")
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"checkpoint failed": 1, "succeed again": 1} {
		if n := strings.Count(out.String(), text); n != want {
			t.Errorf("%q was logged %d times, want %d:\n%s", text, n, want, out.String())
		}
	}
	wantIntact(t, e.path)
}

func TestCloseWaitsForACheckpointBesideTheWriter(t *testing.T) {
	e := mustOpen(t, Options{})
	mustFillLog(t, e, 10*hurried)
	if err := beside(e, false, func(*writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(e.path + suffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want none", suffix, err)
		}
	}
	if !isClean(t, e.path) {
		t.Error("the file is not marked clean")
	}
	wantIntact(t, e.path)
}
