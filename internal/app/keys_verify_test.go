package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"signet/client"
	"signet/internal/home"
	"signet/internal/offline"
)

// change runs statements on the database of a stopped server.
func change(t *testing.T, dir string, statements ...string) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, home.DatabaseFile), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, statement := range statements {
		if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// literal is the literal of an identifier in SQL.
func literal(id string) string { return "x'" + strings.ReplaceAll(id, "-", "") + "'" }

// TestCiphertextOpensInItsRowOnly exchanges what rows and files hold.
func TestCiphertextOpensInItsRowOnly(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	ctx := t.Context()
	file := bytes.Repeat([]byte("x"), 100_000)
	other := bytes.Repeat([]byte("y"), 100_000)
	first, second := w.mustSendTo("bob", client.Outgoing{Body: "first"}),
		w.mustSendTo("bob", client.Outgoing{Body: "other"})
	untouched := w.mustSendTo("bob", client.Outgoing{Body: "untouched"})
	one := w.mustSendTo("bob", client.Outgoing{Attachment: &client.Upload{Name: "one", Content: bytes.NewReader(file)}})
	two := w.mustSendTo("bob", client.Outgoing{Attachment: &client.Upload{Name: "two", Content: bytes.NewReader(other)}})
	cut := w.mustSendTo("bob", client.Outgoing{Attachment: &client.Upload{Name: "cut", Content: bytes.NewReader(file)}})
	damaged := w.mustSendTo("bob",
		client.Outgoing{Attachment: &client.Upload{Name: "damaged", Content: bytes.NewReader(bytes.Repeat(file, 10))}})
	if err := errors.Join(w.alice.SetMetadata(ctx, "me", client.Metadata{"a": "1"}),
		w.bob.SetMetadata(ctx, "me", client.Metadata{"b": "2"})); err != nil {
		t.Fatal(err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	change(t, w.app.dir,
		"CREATE TEMP TABLE was AS SELECT message, content FROM messages",
		fmt.Sprintf("UPDATE messages SET content = (SELECT content FROM was WHERE message = %s) WHERE message = %s",
			literal(second), literal(first)),
		fmt.Sprintf("UPDATE messages SET content = (SELECT content FROM was WHERE message = %s) WHERE message = %s",
			literal(first), literal(second)),
		"CREATE TEMP TABLE meta_was AS SELECT entity, content FROM metadata",
		"UPDATE metadata SET content = (SELECT content FROM meta_was WHERE meta_was.entity <> metadata.entity)",
	)
	path := func(message string) string { return blobPath(t, w.app.dir, message) }
	sealed, err := os.ReadFile(path(damaged))
	if err != nil {
		t.Fatal(err)
	}
	sealed[len(sealed)-1] ^= 1
	if err := errors.Join(
		os.Rename(path(one), path(one)+".was"), os.Rename(path(two), path(one)), os.Rename(path(one)+".was", path(two)),
		os.Truncate(path(cut), 64<<10), os.WriteFile(path(damaged), sealed, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	w = w.mustReopen(configAt(t, w.app.dir))
	for _, id := range []string{first, second} {
		w.wantGet(w.bob, &specimen{id: id}, "", http.StatusInternalServerError)
	}
	for _, id := range []string{one, two, cut} {
		w.wantGet(w.bob, &specimen{id: id}, "/attachment/1", http.StatusInternalServerError)
	}
	for _, who := range []person{w.alice, w.bob} {
		if got, err := who.Metadata(ctx, "me"); err == nil {
			t.Errorf("%s's metadata reads %v", who.name, got)
		}
	}
	w.wantSoundBeginning(damaged)
	w.wantQueued(untouched, first)
	var told []string
	v, err := offline.VerifyKeys(ctx, configAt(t, w.app.dir), false, func(line string) { told = append(told, line) })
	if err != nil || v.Broken != 7 || len(told) != 7 || v.Messages != 5 || v.Attachments != 1 {
		t.Errorf("verify says %+v, %v, %q, want 7 that do not open", v, err, told)
	}
	for _, id := range []string{first, second, one, two, cut, w.aliceToken()} {
		if !strings.Contains(strings.Join(told, "\n"), id) {
			t.Errorf("verify does not name %s", id)
		}
	}
	if v, err = offline.VerifyKeys(ctx, configAt(t, w.app.dir), true, func(string) {}); err != nil || v.Broken != 8 {
		t.Errorf("verify to the end says %+v, %v, want 8 that do not open", v, err)
	}
}

// blobPath returns where the bytes of a message's attachment lie.
func blobPath(t *testing.T, dir, message string) string {
	t.Helper()
	var id string
	conn, err := sqlite.OpenConn(filepath.Join(dir, home.DatabaseFile), sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.ExecuteTransient(conn, "SELECT lower(hex(blob)) FROM messages WHERE message = "+literal(message),
		&sqlitex.ExecOptions{
			ResultFunc: func(row *sqlite.Stmt) error { id = row.ColumnText(0); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, home.BlobsDirectory, id[28:30], id[30:32], id)
}

// wantSoundBeginning asks for an attachment whose end is damaged: a download that begins well
// ends before its first wrong byte.
func (w *ward) wantSoundBeginning(message string) {
	w.t.Helper()
	answer, err := w.http.Do(w.request(w.bob, "/message/"+message+"/attachment/1"))
	if err != nil {
		w.t.Fatal(err)
	}
	got, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || err == nil || len(got) == 0 || len(bytes.Trim(got, "x")) > 0 {
		w.t.Errorf("a damaged attachment: status %d, %d bytes, %v, want its sound beginning and an error", answer.StatusCode,
			len(got), err)
	}
}

// wantQueued asks what bob's queue shows of one message and not of another.
func (w *ward) wantQueued(shown, hidden string) {
	w.t.Helper()
	events, err := w.bob.Poll(w.t.Context(), client.PollOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	var all string
	for _, e := range events {
		all += string(e.Payload) + "\n"
	}
	if !strings.Contains(all, shown) || strings.Contains(all, hidden) {
		w.t.Errorf("the queue shows %s", all)
	}
}

func (w *ward) request(who person, path string) *http.Request {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), "GET", w.app.BaseURL()+"/v2"+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.SetBasicAuth(who.key, who.secret)
	return r
}

// TestFlippedBitIsFound changes one bit of each of several rows.
func TestFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	id := w.mustSendTo("bob", client.Outgoing{Body: "some text"})
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	cfg := configAt(t, w.app.dir)
	verify := func() offline.Verified {
		t.Helper()
		v, err := offline.VerifyKeys(t.Context(), cfg, true, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := verify(); v.Messages != 1 || v.Broken != 0 {
		t.Errorf("verify says %+v of a sound store", v)
	}
	for _, at := range []int{3, 12, 30, 40} { // the key, the nonce, the text, the tag
		mustFlip(t, w.app.dir, id, at)
		if v := verify(); v.Broken != 1 {
			t.Errorf("a bit of byte %d: verify says %+v, want 1 that does not open", at, v)
		}
		mustFlip(t, w.app.dir, id, at)
	}
	if v := verify(); v.Broken != 0 {
		t.Errorf("verify says %+v after all was put back", v)
	}
}

// mustFlip changes a bit of a message's content.
func mustFlip(t *testing.T, dir, id string, at int) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, home.DatabaseFile), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var content []byte
	err = sqlitex.ExecuteTransient(conn, "SELECT content FROM messages WHERE message = "+literal(id), &sqlitex.ExecOptions{
		ResultFunc: func(row *sqlite.Stmt) error {
			content = make([]byte, row.ColumnLen(0))
			row.ColumnBytes(0, content)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	content[at] ^= 4
	err = sqlitex.ExecuteTransient(conn, "UPDATE messages SET content = ? WHERE message = "+literal(id),
		&sqlitex.ExecOptions{Args: []any{content}})
	if err != nil {
		t.Fatal(err)
	}
}
