package app

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/home"
	"signet/internal/offline"
	"signet/internal/store/postgrestest"
	"signet/internal/testenv"
	"signet/internal/transfer"
)

// thief looks for what nobody may find in what somebody could take away.
type thief struct {
	t       *testing.T
	secrets map[string]string          // what they are, by their texts
	seen    map[string]map[string]bool // where texts that are no secrets were found
}

func newThief(t *testing.T) *thief {
	return &thief{t, map[string]string{}, map[string]map[string]bool{"alice": {}, "Ward": {}}}
}

// look goes through some bytes: as they are, and as tools write bytes down.
func (th *thief) look(where string, content []byte) {
	th.t.Helper()
	for secret, what := range th.secrets {
		for form, text := range map[string]string{
			"": secret, " in hexadecimal": hex.EncodeToString([]byte(secret)),
			" in base64": base64.RawStdEncoding.EncodeToString([]byte(secret)),
		} {
			if bytes.Contains(content, []byte(text)) {
				th.t.Errorf("%s is in %s%s", what, where, form)
			}
		}
	}
	for text, places := range th.seen {
		if bytes.Contains(content, []byte(text)) {
			places[where] = true
		}
	}
}

// lookBelow goes through all files of a directory but those that are left out.
func (th *thief) lookBelow(what, dir string, leave ...string) {
	th.t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return ignoreMissing(err)
		}
		for _, name := range leave {
			if entry.Name() == name {
				return nil
			}
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return ignoreMissing(err)
		}
		files++
		th.look(what, content)
		return nil
	})
	if err != nil || files == 0 {
		th.t.Errorf("%s: read %d files below %s, %v", what, files, dir, err)
	}
}

// hide makes a secret.
func (th *thief) hide(what string) string {
	secret := newCanary()
	th.secrets[secret] = what
	return secret
}

// mustHide has people write in every way there is, and gives one of them a password;
// what it all says is the thief's to find.
func (w *ward) mustHide(th *thief) {
	w.t.Helper()
	ctx := w.t.Context()
	operator := mustReadCredentials(w.t, w.app.OperatorFile())
	th.secrets[operator.Secret] = "the operator's secret"
	for _, p := range w.everybody() {
		th.secrets[p.secret] = "the secret of " + p.name
	}
	name, keep := th.hide("the name of an attachment"),
		client.Metadata{th.hide("a metadata key"): th.hide("a metadata value")}
	send := func(recipient string, ttl int) string {
		return w.mustSendTo(recipient,
			client.Outgoing{Body: th.hide("a body"), TTL: ttl, RequestID: fmt.Sprint(recipient, ttl),
				Data: []client.DataItem{{MimeType: "text/" + th.hide("a mime type"), Namespace: th.hide("a namespace"),
					Payload: th.hide("a payload")}},
				Attachment: &client.Upload{Name: name, ContentType: "application/" + th.hide("a content type"),
					Content: strings.NewReader(strings.Repeat(th.hide("an attachment"), 9000))}})
	}
	for _, to := range []string{"bob", w.group} {
		recalled, read := send(to, -1), send(to, 60)
		if err := w.alice.Recall(ctx, recalled); err != nil {
			w.t.Fatal(err)
		}
		if err := w.bob.MarkRead(ctx, read); err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.bob.Forward(ctx, read, client.Forwarding{Recipient: "carol"}); err != nil {
			w.t.Fatal(err)
		}
		entity := to
		if to == "bob" {
			entity = "me"
		}
		if err := w.alice.SetMetadata(ctx, entity, keep); err != nil {
			w.t.Fatal(err)
		}
	}
	password := th.hide("a password")
	if err := w.operator(operator).SetPassword(ctx, "alice", "", password); err != nil {
		w.t.Fatal(err)
	}
}

// TestCopyOfTheDirectoryRevealsNothing looks for every kind of secret in what the
// server writes, but for the keys and the operator's credentials, which are to be kept
// elsewhere than a copy.
func TestCopyOfTheDirectoryRevealsNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenWard(t)
	th := newThief(t)
	w.mustHide(th)
	th.lookBelow("the data directory", w.app.dir, home.KeyringFile, home.MasterFile, home.OperatorFile)
	w.sweep()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	th.lookBelow("the data directory of a stopped server", w.app.dir, home.KeyringFile, home.MasterFile,
		home.OperatorFile)
	backup := filepath.Join(t.TempDir(), "backup")
	if _, err := offline.Backup(t.Context(), configAt(t, w.app.dir), true,
		transfer.BackupOptions{Target: backup}); err != nil {
		t.Fatal(err)
	}
	th.lookBelow("a backup", backup)
	th.wantSeen(3)
}

// TestCopyOfADatabaseAndABucketRevealsNothing looks through the files of a PostgreSQL
// server, with its log of changes, a dump, and all objects of a bucket.
func TestCopyOfADatabaseAndABucketRevealsNothing(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	postgres, bucket := postgrestest.Start(t), s3test.Shared(t).Bucket(t)
	cfg := settings(t)
	cfg.Database, cfg.Keyring, cfg.Blobs = postgres.URL(t), postgrestest.URL(t), bucket.Location()
	w := mustOpenWardAt(t, cfg, false)
	th := newThief(t)
	w.mustHide(th)
	th.lookBelow("the files of the database", postgres.Files(t))
	th.look("a dump", postgrestest.Dump(t, cfg.Database))
	th.lookInto(bucket, 4)
	w.sweep()
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	th.lookBelow("the files of the database after the server stopped", postgres.Files(t))
	th.lookInto(bucket, 1)
	th.wantSeen(3)
}

// lookInto goes through the objects of a bucket, of which there are so many at least.
func (th *thief) lookInto(bucket *s3test.Bucket, least int) {
	th.t.Helper()
	n := 0
	for object := range bucket.Client.ListObjectsIter(th.t.Context(), bucket.Name,
		minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			th.t.Fatal(object.Err)
		}
		body, _, _, err := bucket.Client.GetObject(th.t.Context(), bucket.Name, object.Key, minio.GetObjectOptions{})
		if err != nil {
			th.t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		body.Close()
		if err != nil || len(content) == 0 {
			th.t.Fatalf("%s: read %d bytes, %v", object.Key, len(content), err)
		}
		n++
		th.look("the bucket", append([]byte(object.Key), content...))
	}
	if n < least {
		th.t.Errorf("the bucket has %d objects, want at least %d", n, least)
	}
}

// wantSeen checks that the thief looked at the right places: what is not sealed was
// found in so many at least.
func (th *thief) wantSeen(places int) {
	th.t.Helper()
	for text, found := range th.seen {
		if len(found) < places {
			th.t.Errorf("%q, which is not sealed, was found in %v only", text, found)
		}
	}
}
