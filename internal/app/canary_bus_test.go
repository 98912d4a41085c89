package app

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"signet/internal/config"
	"signet/internal/live"
	"signet/internal/live/natstest"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// eavesdropper hears all that servers say to each other, and can open it: it has read the
// secret of the installation in the database, as anybody can who has a copy.
type eavesdropper struct {
	t             *testing.T
	secret, epoch string
	wire          wire
}

// wire is what carries the words of servers to each other.
type wire interface {
	// nats is the servers' setting.
	nats() string

	// listen hears what is said from now on by servers with this secret.
	listen(t *testing.T, database, secret, epoch string)

	// await opens a stream on the second of two servers, and returns once that hears what the first
	// one says about the stream's account.
	await(t *testing.T, first, second *App, open func())

	// rest returns what was said up to now, and where.
	rest(t *testing.T) []sealedNotice

	// read returns the notice that an opened message is, and all that it says as a text.
	read(opened []byte) (n live.Notice, text string, err error)
}

// sealedNotice is one message, and the place that it is bound to.
type sealedNotice struct {
	place string
	data  []byte
}

func newEavesdropper(t *testing.T, database string, w wire) *eavesdropper {
	t.Helper()
	e := &eavesdropper{t: t, wire: w}
	db, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for name, into := range map[string]*string{"secret": &e.secret, "epoch": &e.epoch} {
		if err := db.QueryRow(t.Context(), "SELECT value FROM meta WHERE name = $1", name).Scan(into); err != nil {
			t.Fatal(err)
		}
	}
	w.listen(t, database, e.secret, e.epoch)
	return e
}

// open reads a sealed message: format, sender (16 bytes), number (8) and ciphertext, under
// a key that follows from the secret and the sender.
func (e *eavesdropper) open(m sealedNotice) []byte {
	e.t.Helper()
	sender, number, sealed := m.data[1:17], binary.BigEndian.Uint64(m.data[17:]), m.data[25:]
	key, err := hkdf.Key(sha256.New, []byte(e.secret), sender, "signet bus key "+e.epoch, 32)
	if err != nil {
		e.t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		e.t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		e.t.Fatal(err)
	}
	text, err := aead.Open(nil, binary.BigEndian.AppendUint64(make([]byte, 4), number), sealed, []byte(m.place))
	if err != nil {
		e.t.Fatalf("a message on %s does not open: %v", m.place, err)
	}
	return text
}

// all returns what was said up to now, each as its place and its text, and how often each
// kind of notice and of signal was said.
func (e *eavesdropper) all() (said string, kinds map[string]int) {
	e.t.Helper()
	var out strings.Builder
	kinds = map[string]int{}
	for _, m := range e.wire.rest(e.t) {
		n, text, err := e.wire.read(e.open(m))
		if err != nil {
			e.t.Fatal(err)
		}
		kinds[string(n.Kind)]++
		if n.Signal != nil {
			kinds[string(n.Signal.Kind)]++
		}
		fmt.Fprintf(&out, "%s %s\n", m.place, text)
	}
	return out.String(), kinds
}

// patience is how long the test waits for what takes moments.
const patience = 30 * time.Second

// TestCanariesAreNotOnTheBus runs two servers, sends words that stand for contents, names
// and secrets through every route of one, follows live events on the other, and opens all
// that the two said to each other.
func TestCanariesAreNotOnTheBus(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	for name, w := range map[string]wire{"NATS": &natsWire{server: natstest.Start(t)}, "PostgreSQL": new(postgresWire)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantNoCanariesOn(t, w)
		})
	}
}

func wantNoCanariesOn(t *testing.T, w wire) {
	database := postgrestest.URL(t)
	v := openAviary(t, func(cfg *config.Config) {
		cfg.Database, cfg.NATS, cfg.Blobs = database, w.nats(), filepath.Join(t.TempDir(), "blobs")
		sharedKeys(t, cfg)
	})
	cfg := *v.app.cfg
	cfg.Data = filepath.Join(t.TempDir(), "data")
	second, err := Open(t.Context(), &cfg, v.app.log)
	if err != nil {
		t.Fatal(err)
	}
	stopSecond := mustRun(t, second)
	e := newEavesdropper(t, database, w)
	v.mustSend(letter{who: v.bob, route: "POST /v2/message", fields: fields{"recipient": v.alice.email, "body": "hello"}})
	v.mustSend(letter{who: v.alice, route: "POST /v2/message", fields: fields{"recipient": v.bob.email, "body": "hello"}})

	var followed *bufio.Reader
	w.await(t, v.app, second, func() { followed = v.follow(second, v.alice, "self-copies,is-typing,presence") })
	for _, to := range []string{v.bob.email, v.group} {
		body := v.word(ofContent, "body of a self-copy")
		v.mustSend(letter{who: v.alice, route: "POST /v2/message", fields: fields{"recipient": to, "body": body}})
		for line := ""; !strings.Contains(line, body); {
			if line, err = followed.ReadString('\n'); err != nil {
				t.Fatalf("the stream on the other server does not show the self-copy: %v", err)
			}
		}
	}
	v.sendAll()

	if err := errors.Join(stopSecond(), v.stop()); err != nil { // they send what waits
		t.Fatal(err)
	}
	said, kinds := e.all()
	for _, kind := range []live.NoticeKind{live.NoticeWake, live.NoticeSignal, live.NoticeEnd, live.NoticeForget} {
		if kinds[string(kind)] == 0 {
			t.Errorf("no notice of kind %q was heard: this test looks at the wrong place", kind)
		}
	}
	for _, kind := range []model.EventKind{model.EventMessage, model.EventGroupMessage, model.EventTyping,
		model.EventPresence, model.EventUpdate} {
		if kinds[string(kind)] == 0 {
			t.Errorf("no signal of kind %q was heard: this test looks at the wrong place", kind)
		}
	}
	v.wantSilence("the bus", said)
}

// follow opens a stream of events on a server.
func (v *aviary) follow(at *App, who *caged, features string) *bufio.Reader {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "GET", at.BaseURL()+"/v2/events?features="+features, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.SetBasicAuth(who.key, who.secret)
	answer, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		v.t.Fatalf("a stream answers %s", answer.Status)
	}
	return bufio.NewReader(answer.Body)
}

// sharedKeys are settings by which servers on one database share the keys.
func sharedKeys(t *testing.T, cfg *config.Config) {
	t.Helper()
	text, err := seal.NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "master.json")
	mustWrite(t, path, string(text), 0o600)
	cfg.Keyring, cfg.MasterKey = postgrestest.URL(t), "file:"+path
}
