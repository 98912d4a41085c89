package api_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

// randomBytes are bytes that nothing compresses.
func randomBytes(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(b) // never fails
	return b
}

// begin asks for an archive and reads its first bytes only: of a large one, the server is
// in the midst of it.
func (p *person) beginExport(ctx context.Context) *http.Response {
	p.t.Helper()
	r := p.request("GET", "/v2/user/me/export").WithContext(ctx)
	got, err := narrowClient(p.t).Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = got.Body.Close() })
	if _, err := io.ReadFull(got.Body, make([]byte, 100)); err != nil || got.StatusCode != 200 {
		p.t.Fatalf("got %d, %v", got.StatusCode, err)
	}
	return got
}

// archiveBytes is how large an archive is at least of whom fill sends attachments: more than narrow
// connections hold.
const archiveBytes = 8 << 20

// fill sends an account or a group so many attachments that their archives are large.
func (c *clinic) fill(recipient string) {
	c.t.Helper()
	content := randomBytes(archiveBytes / 4)
	for range 4 {
		c.alice.mustAttach(recipient, "a", "", content)
	}
}

// narrowClient makes a client on whose connections little is on its way, so that the server waits
// while the reader does. The server has to be narrow as well.
func narrowClient(t testing.TB) *http.Client {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil {
				err = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
			}
			return conn, err
		},
	}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// Whatever ends an archive too early is logged, and seen by its reader: it lacks its end,
// and so does the answer.
func TestArchiveThatBreaksIsSeenToBeBroken(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	files := s3test.Start(t)
	bucket := files.Bucket(t)
	c := startClinic(t, func(f *figures) { f.narrow, f.blobs = true, bucket.Location() })
	c.fill(c.bob.token)
	for what, harm := range map[string]func(key *person) (undo func()){
		"its key is revoked": func(key *person) func() {
			c.bob.delete("/v2/user/me/key/" + key.key).want(204)
			return func() {}
		},
		"its account is disabled": func(*person) func() {
			c.operator.post(c.bob.path("/disable"), nil).want(204)
			return func() { c.operator.post(c.bob.path("/enable"), nil).want(204) }
		},
		"the files cannot be reached": func(*person) func() {
			files.Stop(t)
			return func() { files.Restart(t) }
		},
	} {
		key := c.bob.withKey(c.bob.post("/v2/user/me/key", nil).reply())
		got := key.beginExport(t.Context())
		// An account makes one at a time.
		c.bob.get("/v2/user/me/export").wantError(429, "too_many_exports").wantHeader("Retry-After", "60")
		undo := harm(key)
		rest, err := io.ReadAll(got.Body)
		if err == nil {
			t.Errorf("%s: the answer of %d bytes ends as a whole one does", what, len(rest))
		}
		if _, err := zip.NewReader(bytes.NewReader(rest), int64(len(rest))); err == nil {
			t.Errorf("%s: the archive opens", what)
		}
		undo()
		c.bob.wantExport()
		if logged := c.log.Take(); strings.Count(logged, "broke off") != 1 || !strings.Contains(logged, c.bob.token) {
			t.Errorf("%s: the log says %q", what, logged)
		}
	}
	counts := &c.exporter.Counts
	failed, left, size := counts.Failed.Load(), counts.Left.Load(), counts.Bytes.Load()
	if failed != 3 || left != 0 || size < archiveBytes {
		t.Errorf("%d archives are counted as failed, %d as left, with %d bytes", failed, left, size)
	}
}

// A server makes eight archives at a time, two of them for administrators only: a seventh
// person is told to wait, and gets one when another has ended.
func TestArchivesThatAServerMakesAtATime(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.narrow = true })
	people := []*person{c.bob}
	for i := range 6 {
		people = append(people, c.mustCreate(c.org, fmt.Sprint("reader", i)))
	}
	var admins []*person
	for i := range 3 {
		admins = append(admins, c.mustCreateAdmin(c.org, fmt.Sprint("admin", i)))
	}
	group := c.alice.mustCreateGroup("Everyone", append(people, admins...)...)
	c.fill(group)
	refused := func(p *person) {
		t.Helper()
		p.get("/v2/user/me/export").wantError(429, "too_many_exports").wantHeader("Retry-After", "60")
	}
	leaves := make([]func(), 8)
	for i, p := range append(people[:6:6], admins[:2]...) {
		var ctx context.Context
		ctx, leaves[i] = context.WithCancel(t.Context())
		if i == 6 {
			refused(people[6])
		}
		p.beginExport(ctx)
	}
	last := people[6]
	refused(last)
	refused(admins[2])
	if n := c.exporter.Running(); n != 8 {
		t.Errorf("%d archives are being made, want 8", n)
	}
	leaves[6]() // a place of administrators is none for others
	admins[2].wantExport()
	refused(last)
	leaves[3]()
	last.wantExport()
	if left := c.exporter.Counts.Left.Load(); left != 2 {
		t.Errorf("%d archives are counted as left, want 2", left)
	}
	for _, leave := range leaves {
		leave()
	}
}

// wantExport waits until the account may make another archive, which is then whole.
func (p *person) wantExport() {
	p.t.Helper()
	for {
		got := p.get("/v2/user/me/export")
		if got.StatusCode != 429 {
			mustOpenArchive(p.t, got)
			return
		}
		runtime.Gosched()
	}
}

func TestArchiveEndsWithItsReader(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.narrow = true })
	c.fill(c.bob.token)
	ctx, leave := context.WithCancel(t.Context())
	c.bob.beginExport(ctx)
	leave()
	c.mustRest(c.bob)
	c.bob.wantExport()
}

// mustRest waits for the end of an archive that the account did not take to its end, and for
// the minute in which it gets no other one.
func (c *clinic) mustRest(p *person) {
	c.t.Helper()
	until(c.t, "the archive ends", func() bool { return c.exporter.Running() == 0 })
	for _, wait := range []string{"60", "40", "20"} {
		p.get("/v2/user/me/export").wantError(429, "too_many_exports").wantHeader("Retry-After", wait)
		p.withKey(p.post("/v2/user/me/key", nil).reply()).get("/v2/user/me/export").wantError(429, "too_many_exports")
		c.clock.Advance(20 * time.Second)
	}
}

// A reader that takes an archive more slowly than at 64 KiB a second is cut off, and one that
// is faster is not, however long it takes.
func TestArchiveEndsForASlowReader(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t, func(f *figures) { f.narrow = true })
	c.fill(c.bob.token)
	client := narrowClient(t)
	// read takes the archive in pieces, and after each so much time passes.
	read := func(pause time.Duration) (n int64, err error) {
		got, err := client.Do(c.bob.request("GET", "/v2/user/me/export"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = got.Body.Close() }()
		for err == nil {
			var piece int64
			piece, err = io.CopyN(io.Discard, got.Body, 256<<10)
			n += piece
			c.clock.Advance(pause)
		}
		return n, err
	}
	if n, err := read(2 * time.Second); err != io.EOF {
		t.Fatalf("a reader of 128 KiB a second is cut off after %d bytes: %v", n, err)
	}
	if n, err := read(16 * time.Second); err == io.EOF || n > archiveBytes*3/4 {
		t.Fatalf("a reader of 16 KiB a second has got %d bytes: %v", n, err)
	}
	until(t, "the archive ends", func() bool { return c.exporter.Running() == 0 })
	c.bob.get("/v2/user/me/export").wantError(429, "too_many_exports") // time has passed since
	c.clock.Advance(time.Minute)
	c.bob.wantExport()
	if left := c.exporter.Counts.Left.Load(); left != 1 {
		t.Errorf("%d archives are counted as left, want 1", left)
	}
}

func TestArchiveCountsWhatIsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir = dir })
	known := map[string]bool{}
	attach := func() (id, path string) {
		id = c.alice.mustAttach(c.bob.token, "a.txt", "", randomBytes(200<<10))
		paths, err := filepath.Glob(filepath.Join(dir, "blobs", "??", "??", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path = range paths {
			if !known[path] {
				known[path] = true
				return id, path
			}
		}
		t.Fatal("no file was kept")
		return "", ""
	}
	missing, missingFile := attach()
	damaged, damagedFile := attach()
	sound, _ := attach()
	if err := os.Remove(missingFile); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(damagedFile)
	if err != nil {
		t.Fatal(err)
	}
	text[150<<10] ^= 1
	if err := os.WriteFile(damagedFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o := c.bob.mustExport("me")
	o.object("manifest.json").wantFields(fields{"attachments": 2, "attachments_lost": fields{"missing": 1, "damaged": 1}})
	for id, want := range map[string]int{missing: -1, damaged: 100 << 10, sound: 200 << 10} {
		content, there := o.files["attachments/"+id+".txt"]
		if there != (want >= 0) || len(content) < want || id == damaged && len(content) >= 150<<10 {
			t.Errorf("the file has %d bytes (%v), want %d or some more", len(content), there, want)
		}
	}
	if n := len(o.lines("messages.jsonl")); n != 3 {
		t.Errorf("there are %d messages, want 3", n)
	}
	c.log.Take()
}

// An archive takes memory for a page of messages, however many there are and however large
// their files. The test does not run beside others, whose memory it would measure.
func TestArchiveOfALargeAccountTakesLittleMemory(t *testing.T) {
	testenv.Long(t)
	c := startClinic(t)
	text := make([]byte, 60<<10)
	for i := range 600 {
		for j := range text {
			text[j] = 'a' + byte(rand.IntN(26))
		}
		c.alice.mustSend(c.bob.token, fmt.Sprint(i, " ", string(text)))
	}
	content := randomBytes(20 << 20)
	for range 2 {
		c.alice.mustAttach(c.bob.token, "a", "", content)
	}
	got := c.bob.beginExport(t.Context())
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	begun, most, read := live(), uint64(0), int64(0)
	for {
		n, err := io.CopyN(io.Discard, got.Body, 1<<20)
		read += n
		most = max(most, live())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const bound = 24 << 20
	if read < 60<<20 {
		t.Fatalf("the archive has %d bytes: this test looks at too little", read)
	}
	if most > begun+bound {
		t.Errorf("an archive of %d MiB takes %d MiB, want at most %d", read>>20, (most-begun)>>20, bound>>20)
	}
	t.Logf("an archive of %d MiB took %d MiB beside the %d at its beginning", read>>20, (most-begun)>>20, begun>>20)
}
