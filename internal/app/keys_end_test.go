package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
)

// wantIn waits until something is so.
func wantIn(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
		<-tick.C
	}
}

// periods are the days of which the ring in a data directory holds a key of messages.
func periods(t *testing.T, dir string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, home.KeyringFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 5 && fields[3] != "-" &&
			(strings.HasPrefix(fields[2], "until-") || strings.HasPrefix(fields[2], "from-")) {
			out = append(out, fields[2])
		}
	}
	return out
}

// hasKey reports whether the ring holds a key of messages that expire after so long
// from now; 0 is never.
func (w *ward) hasKey(lifetime time.Duration) bool {
	w.t.Helper()
	now := w.began.Add(time.Duration(w.passed.Load())).UTC()
	want := "until-" + now.Add(lifetime).Format(time.DateOnly)
	if lifetime == 0 {
		want = "from-" + now.Format(time.DateOnly)
	}
	for _, period := range periods(w.t, w.app.dir) {
		if period == want {
			return true
		}
	}
	return false
}

func (w *ward) mustSendTo(recipient string, m client.Outgoing) string {
	w.t.Helper()
	m.Recipient = recipient
	sent, err := w.alice.Send(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	return sent.MessageID
}

// TestKeyGoesWithTheLastMessageOfItsDay ends messages in every way, and looks into
// the file of the ring.
func TestKeyGoesWithTheLastMessageOfItsDay(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	const day = 24 * time.Hour
	ttl := func(days int) client.Outgoing {
		return client.Outgoing{Body: "x", TTL: int(time.Duration(days) * day / time.Minute)}
	}
	never := client.Outgoing{Body: "x", TTL: -1}
	gone := ttl(2)
	gone.DOR = new(true)
	recalled, read, lasting := w.mustSendTo("bob", ttl(5)), w.mustSendTo("bob", gone), w.mustSendTo("bob", never)
	expiring := w.mustSendTo(w.group, ttl(1))
	stays, second := w.mustSendTo("bob", ttl(9)), w.mustSendTo("bob", ttl(5))
	for _, lifetime := range []time.Duration{day, 2 * day, 5 * day, 9 * day, 0} {
		if !w.hasKey(lifetime) {
			t.Fatalf("there is no key for %v: %q", lifetime, periods(t, w.app.dir))
		}
	}
	w.sweep()
	if err := errors.Join(w.alice.Recall(ctx, recalled), w.bob.MarkRead(ctx, read)); err != nil {
		t.Fatal(err)
	}
	w.pass(62 * time.Second)
	wantIn(t, "the key of what was read and is gone is destroyed", func() bool { return !w.hasKey(2 * day) })
	if !w.hasKey(5 * day) {
		t.Error("a key was destroyed while a message of its day is left")
	}
	if err := w.alice.Recall(ctx, second); err != nil {
		t.Fatal(err)
	}
	wantIn(t, "the key of what was recalled is destroyed", func() bool { return !w.hasKey(5 * day) })
	if err := w.alice.Recall(ctx, lasting); err != nil {
		t.Fatal(err)
	}
	wantIn(t, "the key of what was never to end and was recalled is destroyed", func() bool { return !w.hasKey(0) })
	w.pass(day)
	wantIn(t, "the key of what expired is destroyed", func() bool { return !w.hasKey(0) && !w.hasKey(-62*time.Second) })
	w.wantGet(w.bob, &specimen{id: expiring}, "", http.StatusNotFound)
	w.wantGet(w.bob, &specimen{id: stays}, "", http.StatusOK)
	// A day whose key went takes messages again.
	if again := w.mustSendTo("bob", ttl(4)); !w.hasKey(4 * day) {
		t.Errorf("message %s has no key", again)
	}
}

func TestKeysGoWithTheirOrganization(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	text, err := os.ReadFile(w.app.OperatorFile())
	if err != nil {
		t.Fatal(err)
	}
	operator := w.client(mustText(t, text, home.FieldKey), mustText(t, text, home.FieldSecret))
	doomed, err := operator.CreateOrganization(ctx, "Doomed", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := operator.CreateUser(ctx, doomed, client.NewUser{Username: "dora", IssueKey: true})
	if err != nil {
		t.Fatal(err)
	}
	dora := w.client(made.APIKey, made.APISecret)
	for _, minutes := range []int{-1, 60, 5000} {
		if _, err := dora.Send(ctx, client.Outgoing{Recipient: "dora", Body: "x", TTL: minutes}); err != nil {
			t.Fatal(err)
		}
	}
	if err := dora.SetMetadata(ctx, "me", client.Metadata{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	keys := func() int {
		text, err := os.ReadFile(filepath.Join(w.app.dir, home.KeyringFile))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte(doomed))
	}
	if keys() != 4 {
		t.Fatalf("the organization has %d keys, want 4", keys())
	}
	w.sweep()
	if err := operator.DeleteOrganization(ctx, doomed, "Doomed"); err != nil {
		t.Fatal(err)
	}
	wantIn(t, "its keys are destroyed", func() bool { return keys() == 0 })
}

// TestOldBackupShowsWhatIsAliveAndNothingElse opens a copy of before with the ring of
// after, at the time of before: only the keys keep what has ended from being read.
func TestOldBackupShowsWhatIsAliveAndNothingElse(t *testing.T) {
	t.Parallel()
	cfg := settings(t)
	wantOnlyTheLiving(t, cfg, func() *config.Config {
		backup := configAt(t, t.TempDir())
		mustCopy(t, cfg.Data, backup.Data)
		return backup
	})
}

// The same where the store is a database, of which a copy is put back.
func TestOldCopyOfADatabaseShowsWhatIsAliveAndNothingElse(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	cfg := settings(t)
	cfg.Database = postgrestest.URL(t)
	wantOnlyTheLiving(t, cfg, func() *config.Config {
		backup := configAt(t, t.TempDir())
		backup.Database = postgrestest.Copy(t, cfg.Database)
		if err := os.CopyFS(filepath.Join(backup.Data, home.BlobsDirectory),
			os.DirFS(filepath.Join(cfg.Data, home.BlobsDirectory))); err != nil {
			t.Fatal(err)
		}
		return backup
	})
}

// wantOnlyTheLiving ends messages in every way after a backup, and opens that with the
// key ring of then.
func wantOnlyTheLiving(t *testing.T, settings *config.Config, backup func() *config.Config) {
	t.Helper()
	w := mustOpenWardAt(t, settings, false)
	ctx := t.Context()
	dir := w.app.dir
	send := func(days int) (string, []byte) {
		t.Helper()
		file := []byte(strings.Repeat(newCanary(), 20_000))
		m := client.Outgoing{Body: fmt.Sprint("body ", days), TTL: days * 24 * 60,
			Attachment: &client.Upload{Name: "a", Content: bytes.NewReader(file)}}
		if days == 0 {
			m.TTL = -1
		}
		m.DOR = new(days == 3)
		return w.mustSendTo("bob", m), file
	}
	alive, file := send(0)
	expired, _ := send(1)
	recalled, _ := send(2)
	read, _ := send(3)
	forwarded, shared := send(40)
	forward, err := w.bob.Forward(ctx, forwarded, client.Forwarding{Recipient: "carol"}) // of 30 days, with the same bytes
	if err != nil {
		t.Fatal(err)
	}
	if err := w.alice.SetMetadata(ctx, "me", client.Metadata{"a": "b"}); err != nil {
		t.Fatal(err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	cfg := backup()

	w = w.mustReopen(settings)
	w.sweep()
	if err := errors.Join(w.alice.Recall(ctx, recalled), w.alice.Recall(ctx, forwarded),
		w.bob.MarkRead(ctx, read)); err != nil {
		t.Fatal(err)
	}
	w.pass(25 * time.Hour)
	// There is one more of the note that says who made the ward's group.
	wantIn(t, "the keys of what ended are destroyed", func() bool { return len(periods(t, dir)) == 3 })
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}

	w.pass(-25 * time.Hour)
	cfg.Keyring, cfg.MasterKey = "file:"+filepath.Join(dir, home.KeyringFile),
		"file:"+filepath.Join(dir, home.MasterFile)
	mustSucceed(t, cfg)
	old := w.mustReopen(cfg)
	for _, id := range []string{expired, recalled, read, forwarded} {
		old.wantEnded(id)
	}
	if m, err := old.bob.Message(ctx, alive); err != nil || m.Body != "body 0" {
		t.Errorf("what is alive reads %+v, %v", m, err)
	}
	old.wantFile(old.bob, alive, file)
	old.wantFile(old.carol, forward.MessageID, shared)
	if got, err := old.alice.Metadata(ctx, "me"); err != nil || got["a"] != "b" {
		t.Errorf("metadata reads %v, %v", got, err)
	}
	old.wantQueuedAlive("body 0")
	if err := old.stop(); err != nil {
		t.Error(err)
	}
	v, err := offline.VerifyKeys(ctx, cfg, true, func(string) {})
	if err != nil || v.Messages != 2 || v.Attachments != 2 || v.Metadata != 1 || v.Broken+v.Ended != 4 {
		t.Errorf("verify says %+v, %v", v, err)
	}
}

// wantEnded asks for a message that has ended, its attachment and a forward of it.
func (w *ward) wantEnded(id string) {
	w.t.Helper()
	for _, path := range []string{"", "/attachment/1"} {
		w.wantGet(w.bob, &specimen{id: id}, path, http.StatusNotFound)
		w.wantGet(w.alice, &specimen{id: id}, path, http.StatusNotFound)
	}
	if status, _ := w.call(w.bob, "POST", "/message/"+id+"/forward", `{"recipient":"carol"}`, "Content-Type",
		"application/json"); status != http.StatusNotFound {
		w.t.Errorf("forwarding what has ended answered %d", status)
	}
}

// wantQueuedAlive polls bob's queue in pages of any size: what cannot be read is no obstacle to
// what can, the one message that is alive.
func (w *ward) wantQueuedAlive(body string) {
	w.t.Helper()
	for _, limit := range []int{1, 2, 100} {
		events, err := w.bob.Poll(w.t.Context(), client.PollOptions{Limit: limit})
		if err != nil {
			w.t.Fatal(err)
		}
		messages := 0
		for _, e := range events {
			if strings.Contains(string(e.Payload), body) {
				messages++
			} else if strings.Contains(string(e.Payload), `"body `) {
				w.t.Errorf("an event shows %s", e.Payload)
			}
		}
		if limit == 100 && messages != 1 {
			w.t.Errorf("the queue has %d messages, want the one that is alive", messages)
		}
	}
}

func (w *ward) wantFile(who person, message string, want []byte) {
	w.t.Helper()
	status, got := w.get(who, "/message/"+message+"/attachment/1")
	if status != http.StatusOK || !bytes.Equal(got, want) {
		w.t.Errorf("%s: the attachment of %s: status %d, %d bytes, want %d", who.name, message, status, len(got), len(want))
	}
}

func mustText(t *testing.T, content []byte, field string) string {
	t.Helper()
	fields := home.Credentials{}
	if err := json.Unmarshal(content, &fields); err != nil {
		t.Fatal(err)
	}
	return fields.Text(field)
}
