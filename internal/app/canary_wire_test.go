package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"

	"signet/internal/live"
	"signet/internal/live/natstest"
)

// natsWire is a NATS server.
type natsWire struct {
	server *natstest.Server
	conn   *nats.Conn
	heard  *nats.Subscription
}

func (w *natsWire) nats() string { return w.server.URL() }

func (w *natsWire) listen(t *testing.T, _, _, _ string) {
	t.Helper()
	var err error
	if w.conn, err = nats.Connect(w.nats()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.conn.Close)
	if w.heard, err = w.conn.SubscribeSync("signet.>"); err == nil {
		err = w.heard.SetPendingLimits(-1, -1)
	}
	if err == nil {
		err = w.conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (w *natsWire) await(t *testing.T, _, _ *App, open func()) {
	t.Helper()
	known := w.server.Subscriptions()
	open()
	wantSoon(t, "the other server listens for the stream", func() bool { return w.server.Subscriptions() >= known+4 })
}

func (w *natsWire) rest(t *testing.T) (out []sealedNotice) {
	t.Helper()
	if err := w.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	for waiting, _, err := w.heard.Pending(); err == nil && waiting > 0; waiting, _, err = w.heard.Pending() {
		m, err := w.heard.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sealedNotice{m.Subject, m.Data})
	}
	return out
}

func (w *natsWire) read(opened []byte) (n live.Notice, text string, err error) {
	err = json.Unmarshal(opened, &n)
	return n, string(opened), err
}

// postgresWire is the database that the servers share.
type postgresWire struct {
	conn    *pgx.Conn
	channel string
}

func (w *postgresWire) nats() string { return "" }

func (w *postgresWire) listen(t *testing.T, database, secret, epoch string) {
	t.Helper()
	installation, err := hkdf.Key(sha256.New, []byte(secret), nil, "signet bus installation "+epoch, 8)
	if err != nil {
		t.Fatal(err)
	}
	w.channel = "signet_" + hex.EncodeToString(installation)
	if w.conn, err = pgx.Connect(t.Context(), database); err == nil {
		t.Cleanup(func() { w.conn.Close(context.WithoutCancel(t.Context())) })
		_, err = w.conn.Exec(t.Context(), "LISTEN "+w.channel)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (w *postgresWire) await(t *testing.T, first, second *App, open func()) {
	t.Helper()
	for _, server := range []*App{first, second} {
		wantSoon(t, "the servers hear of each other", func() bool {
			_, text := mustDo(t, "GET", server.BaseURL()+"/metrics")
			return strings.Contains(text, `signet_bus_connected{by="postgres"} 1`)
		})
	}
	open()
}

func (w *postgresWire) rest(t *testing.T) (out []sealedNotice) {
	t.Helper()
	const end = "the end"
	if _, err := w.conn.Exec(t.Context(), "SELECT pg_notify($1, $2)", w.channel, end); err != nil {
		t.Fatal(err)
	}
	for {
		heard, err := w.conn.WaitForNotification(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch heard.Payload {
		case end:
			return out
		case "": // somebody has connected
			continue
		}
		data, err := base64.RawStdEncoding.DecodeString(heard.Payload)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sealedNotice{w.channel, data})
	}
}

// read reads a letter: the length of the notice (2 bytes), the notice, and accounts.
func (w *postgresWire) read(opened []byte) (n live.Notice, text string, err error) {
	size := 2 + int(binary.BigEndian.Uint16(opened))
	err = json.Unmarshal(opened[2:size], &n)
	return n, string(opened[2:size]) + hex.EncodeToString(opened[size:]), err
}

// wantSoon waits until something holds, asking again and again.
func wantSoon(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it does not come about that %s", what)
		}
	}
}

// sendAll sends the requests that succeed, and returns them.
func (v *aviary) sendAll() map[string]letter {
	v.t.Helper()
	sent := map[string]letter{}
	for _, route := range slices.Sorted(maps.Keys(sightings)) {
		l := sightings[route](v)
		l.route = route
		v.noteSecrets(v.mustSend(l))
		sent[route] = l
	}
	return sent
}
