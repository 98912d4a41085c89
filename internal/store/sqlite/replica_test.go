package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A replica that is stopped anywhere in a commit is as it was before it, or after it.
func TestReplicaIsAsItWasAfterACommit(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	path := filepath.Join(t.TempDir(), "standby.db")
	r := mustReplica(t, path)
	if err := f.MarkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	if err := e.Update(t.Context(), insert("one", random(20_000)...)); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	before := mustReadAll(t, path)
	if err := e.Update(t.Context(), insert("two", random(20_000)...)); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	after := mustReadAll(t, path)
	number := r.State().Number
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	log := mustReadAll(t, r.logPath(number))
	torn := bytes.Clone(log)
	torn[len(torn)/2] ^= 1
	for length := 0; length <= len(log); length += max(1, (len(log)-length)/5) {
		for _, changed := range [][]byte{log[:length], torn} {
			for _, begun := range []bool{false, true} { // whether pages were written to the database
				dir := filepath.Join(t.TempDir(), "again")
				wantRecovered(t, dir, before, after, log, changed, number, begun && len(changed) == len(log))
			}
		}
	}
}

// wantRecovered opens a replica with a log as it is, or as a crash left it.
func wantRecovered(t *testing.T, dir string, before, after, log, there []byte, number uint64, begun bool) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "standby.db")
	whole := bytes.Equal(log, there)
	files := map[string][]byte{path: bytes.Clone(before), fmt.Sprintf("%s.log%d", path, number%2): there,
		fmt.Sprintf("%s.log%d", path, (number+1)%2): lastLog(t, number-1, before)}
	if begun && whole { // a page that the log has is torn in the database
		at := 0
		for bytes.Equal(before[at:at+pageSize], after[at:at+pageSize]) {
			at += pageSize
		}
		copy(files[path][at:at+pageSize], random(pageSize))
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := mustReplica(t, path)
	defer r.Close()
	want, state := before, number-1
	if whole {
		want, state = after, number
	}
	if got := mustReadAll(t, path); !bytes.Equal(got, want) || r.State().Number != state {
		t.Errorf("with %d of %d bytes of the log the copy is of commit %d, want %d, the same: %v", len(there), len(log),
			r.State().Number, state, bytes.Equal(got, want))
	}
	if string(r.State().Note) != "note" {
		t.Errorf("the note is %q", r.State().Note)
	}
}

// lastLog is a log of a commit without pages.
func lastLog(t *testing.T, number uint64, database []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	l, err := createPageLog(path)
	if err == nil {
		err = l.commit(ReplicaState{Number: number, Pages: uint32(len(database) / pageSize), Note: []byte("note")})
		err = errors.Join(err, l.close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return mustReadAll(t, path)
}

func mustReadAll(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A server that was the first becomes a copy of another one: only what differs comes.
func TestReplicaOfWhatWasADatabaseNeedsOnlyWhatDiffers(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	if err := e.Update(t.Context(), insert("one", random(400_000)...)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old, path := filepath.Join(dir, "signet.db"), filepath.Join(dir, "standby.db")
	if err := e.Backup(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if err := ReplicaFrom(old, path); err != nil {
		t.Fatal(err)
	}
	r := mustReplica(t, path)
	different := 0
	err := r.Digests(10, func(first uint32, digests []byte) error {
		pages, err := f.Range(t.Context(), first, len(digests)/DigestSize)
		for i, p := range pages {
			if d := Digest(p.Image); !bytes.Equal(d[:], digests[i*DigestSize:(i+1)*DigestSize]) {
				f.Mark([]uint32{p.Number})
				different++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	wantSame(t, f, r)
	if different > 20 {
		t.Errorf("%d pages differed", different)
	}
	if err := r.Release(old); err != nil {
		t.Fatal(err)
	}
	wantItems(t, mustOpenAt(t, old, Options{}), "one")
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 3 {
		t.Errorf("%d files are left, error %v", len(left), err)
	}
}

// A log of an earlier copy, which somebody left when he removed that, is not taken for one of the next.
func TestReplicaTakesNoLogOfAnEarlierOne(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	path := filepath.Join(t.TempDir(), "standby.db")
	r := mustReplica(t, path)
	for i := range 4 {
		if err := e.Update(t.Context(), insert(fmt.Sprint(i), random(20_000)...)); err != nil {
			t.Fatal(err)
		}
		if err := f.MarkAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustShip(t, f, r)
	}
	if err := errors.Join(r.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	r = mustReplica(t, path)
	if r.Whole() {
		t.Fatal("a copy that was removed is whole")
	}
	if err := errors.Join(f.MarkAll(t.Context()), e.Update(t.Context(), insert("last"))); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = mustReplica(t, path)
	wantSame(t, f, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// What was being received when a copy was closed takes no room afterwards.
func TestReplicaGivesBackTheRoomOfWhatItDrops(t *testing.T) {
	e := mustOpen(t, Options{})
	f := mustFeed(t, e)
	path := filepath.Join(t.TempDir(), "standby.db")
	r := mustReplica(t, path)
	if err := f.MarkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustShip(t, f, r)
	if err := e.Update(t.Context(), insert("one", random(200_000)...)); err != nil {
		t.Fatal(err)
	}
	for f.Waiting() == 0 { // the writer notes what it has written after that
		<-f.Wake()
	}
	for {
		pages, _, err := f.Some(t.Context(), 16)
		if err = errors.Join(err, pass(r, pages)); err != nil {
			t.Fatal(err)
		}
		if len(pages) == 0 {
			break
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(r.logPath(2))
	if err != nil || info.Size() != 0 {
		t.Errorf("the log of what was dropped: %v, error %v", info, err)
	}
	r = mustReplica(t, path)
	if n := r.State().Number; n != 1 {
		t.Errorf("the copy is of commit %d", n)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
