package e2e

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"

	"signet/client"
	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

// place is where a server keeps files, and how it is taken away and brought back.
type place interface {
	setting() string
	takeAway(t *testing.T)
	bringBack(t *testing.T)
	files(t *testing.T) int
}

// volume is a directory on which a volume is mounted: it goes by another name while
// that is away, and the mount point is empty, or gone.
type volume struct {
	dir  string
	gone bool
}

func (v volume) setting() string { return v.dir }

func (v volume) takeAway(t *testing.T) {
	t.Helper()
	err := os.Rename(v.dir, v.dir+".away")
	if err == nil && !v.gone {
		err = os.Mkdir(v.dir, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (v volume) bringBack(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir(v.dir); v.gone && !errors.Is(err, os.ErrNotExist) || !v.gone &&
		(err != nil || len(left) > 0) {
		t.Errorf("the server made something where its volume was missing: %v (%v)", left, err)
	}
	if err := errors.Join(os.RemoveAll(v.dir), os.Rename(v.dir+".away", v.dir)); err != nil {
		t.Fatal(err)
	}
}

func (v volume) files(t *testing.T) int { t.Helper(); return len(mustFiles(t, v.dir)) }

// emptied is a bucket in which everything is moved away.
type emptied struct{ *s3test.Bucket }

func (b emptied) setting() string { return b.Location("prefix=signet") }

func (b emptied) takeAway(t *testing.T)  { t.Helper(); b.move(t, "signet/", "away/") }
func (b emptied) bringBack(t *testing.T) { t.Helper(); b.move(t, "away/", "signet/") }

func (b emptied) move(t *testing.T, from, to string) {
	t.Helper()
	names := append(b.Contents(t), from+"signet.mark", from+"owner.json")
	for _, name := range names {
		rest, ok := strings.CutPrefix(name, from)
		if !ok {
			continue
		}
		_, err := b.Client.Client.CopyObject(t.Context(), minio.CopyDestOptions{Bucket: b.Name, Object: to + rest},
			minio.CopySrcOptions{Bucket: b.Name, Object: name})
		if err == nil {
			err = b.Client.Client.RemoveObject(t.Context(), b.Name, name, minio.RemoveObjectOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (b emptied) files(t *testing.T) int { t.Helper(); return len(b.Contents(t)) }

// Where the place of files is empty, or gone, nothing of what exists is answered 404,
// nothing is kept there, and a recall's erasure waits.
func TestPlaceOfFilesThatIsEmptyOrGone(t *testing.T) {
	t.Parallel()
	for name, mustMake := range map[string]func(t *testing.T) place{
		"not mounted":    func(t *testing.T) place { return volume{dir: filepath.Join(t.TempDir(), "blobs")} },
		"directory gone": func(t *testing.T) place { return volume{dir: filepath.Join(t.TempDir(), "blobs"), gone: true} },
		"bucket emptied": func(t *testing.T) place { return emptied{s3test.Shared(t).Bucket(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := mustMake(t)
			s := mustServe(t, freshDirectory(t), "--blobs", files.setting(), "--expiry.sweep", "200ms")
			people := s.mustPeople("alice", "bob", "carol")
			alice, bob := s.impatient(people[0]), s.impatient(people[1])
			content := []byte(strings.Repeat("a scan ", 1000))
			kept, recalled := mustSend(t, alice, fileTo("bob", content)), mustSend(t, alice, fileTo("bob", content))
			picture := &client.Upload{Name: "a.png", Content: strings.NewReader("\x89PNG\r\n\x1a\nxxxxxxxx")}
			group, err := alice.CreateGroup(t.Context(),
				client.NewGroup{Name: "with a picture", Members: []string{"bob"}, Avatar: picture})
			if err != nil {
				t.Fatal(err)
			}
			wantPicture := func(away bool) {
				t.Helper()
				d, err := bob.OpenAvatar(t.Context(), group.Avatar)
				if away {
					wantFilesAway(t, "fetching a picture", err)
				} else if err != nil {
					t.Errorf("fetching a picture: %v", err)
				}
				if d != nil {
					d.Close()
				}
			}
			wantPicture(false)

			files.takeAway(t)
			wantAway := func() {
				t.Helper()
				_, err := alice.Send(t.Context(), fileTo("bob", content))
				wantFilesAway(t, "sending a file", err)
				_, err = bob.OpenAttachment(t.Context(), kept)
				wantFilesAway(t, "fetching a file", err)
				r := bob.request(t, "GET", "/v2/message/"+kept+"/attachment/1", "", "")
				r.Header.Set("Range", "bytes=0-9")
				wantStatusOf(t, s, r, http.StatusServiceUnavailable)
				wantPicture(true)
				picture.Content = strings.NewReader("\x89PNG\r\n\x1a\nxxxxxxxx")
				_, err = alice.CreateGroup(t.Context(), client.NewGroup{Name: "another", Avatar: picture})
				wantFilesAway(t, "a picture", err)
				eventually(t, "signet_blobs_up is 0", func() bool { return s.mustReadMetrics()["signet_blobs_up"] == 0 })
				if text := s.mustProbe("/readyz"); !strings.HasPrefix(text, "ok\n") ||
					!strings.Contains(text, "warning: attachments: ") {
					t.Errorf("/readyz says %q, want that files are away", text)
				}
			}
			wantAway()
			mustSend(t, alice, client.Outgoing{Recipient: "bob", Body: "text"})
			// What is forwarded shares the file, which is not looked at.
			if _, err := bob.Forward(t.Context(), kept, client.Forwarding{Recipient: "carol"}); err != nil {
				t.Errorf("forward while the files are away: %v", err)
			}
			if err := alice.Recall(t.Context(), recalled); err != nil {
				t.Errorf("recall while the files are away: %v", err)
			}
			// The sweep has run since, and again after another start.
			eventually(t, "the sweep has tried",
				func() bool { return s.mustReadMetrics()[`signet_task_failures_total{task="files"}`] > 0 })
			s.stop()
			s.mustStart()
			wantAway()

			files.bringBack(t)
			eventually(t, "what was recalled is erased", func() bool { return files.files(t) == 2 })
			wantAttachment(t, bob, mustMessage(t, bob, kept), content)
			wantPicture(false)
			again := mustSend(t, alice, fileTo("bob", content[:1000]))
			wantAttachment(t, bob, mustMessage(t, bob, again), content[:1000])
			s.stop()
			s.wantQuietLogBut("the store of attachments does not answer", "whose the attachments are is not known yet",
				"sweep failed", "a call failed", "over: ", "files that messages refer to are missing") // while they come back
		})
	}
}

// A file that is lost is no 404: its message exists. The server says so at its start.
func TestFilesThatAreLost(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s := mustServe(t, freshDirectory(t))
	people := s.mustPeople("alice", "bob")
	alice, bob := s.impatient(people[0]), s.impatient(people[1])
	content := bytes.Repeat([]byte("x"), 1000)
	lost := mustSend(t, alice, fileTo("bob", content))
	blobs := filepath.Join(s.dir, "blobs")
	only := mustFiles(t, blobs)
	kept := mustSend(t, alice, fileTo("bob", content))
	for _, path := range only {
		if err := os.Rename(path, filepath.Join(s.dir, "aside")); err != nil {
			t.Fatal(err)
		}
	}
	wantLost := func() {
		t.Helper()
		_, err := bob.OpenAttachment(t.Context(), lost)
		refusal, ok := errors.AsType[*client.Error](err)
		if !ok || refusal.Status != http.StatusInternalServerError || refusal.Code != "attachment_lost" {
			t.Errorf("fetching a file that is lost: %v, want 500 attachment_lost", err)
		}
	}
	wantLost()
	eventually(t, "an ERROR tells of a file that is lost", func() bool { // a call is logged after its answer
		return strings.Contains(s.log.String(), "level=ERROR")
	})
	if n := s.mustReadMetrics()["signet_blobs_missing_total"]; n != 1 {
		t.Errorf("signet_blobs_missing_total is %d, want 1", n)
	}
	s.stop()
	s.mustStart()
	const told = "1 of 2 files that messages refer to are missing"
	if text := s.mustProbe("/readyz"); !strings.Contains(text, told) || !strings.Contains(s.log.String(), told) {
		t.Errorf("/readyz says %q, want there and in the log that %s", text, told)
	}
	wantLost()
	wantAttachment(t, bob, mustMessage(t, bob, kept), content)
	if err := os.Rename(filepath.Join(s.dir, "aside"), only[0]); err != nil {
		t.Fatal(err)
	}
	wantAttachment(t, bob, mustMessage(t, bob, lost), content)
	s.stop()

	// "blobs" names another place than before: nothing new goes there.
	s.args = append(s.args, "--blobs", filepath.Join(t.TempDir(), "elsewhere"))
	s.mustStart()
	_, err := alice.Send(t.Context(), fileTo("bob", content))
	wantFilesAway(t, "sending a file", err)
	_, err = bob.OpenAttachment(t.Context(), lost)
	wantFilesAway(t, "fetching a file", err)
	if !strings.Contains(s.log.String(), "set blobs to where the files are") {
		t.Error("the log does not say what to do")
	}
}

func wantStatusOf(t *testing.T, s *server, r *http.Request, want int) {
	t.Helper()
	answer, err := s.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != want || want == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s %s: %d with Retry-After %q, want %d", r.Method, r.URL.Path, answer.StatusCode,
			answer.Header.Get("Retry-After"), want)
	}
}

// mustFiles lists the files of a directory of blobs but its mark.
func mustFiles(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && entry.Name() != "signet.mark" && entry.Name() != "owner.json" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// mustProbe returns the text of a probe, which is to answer 200.
func (s *server) mustProbe(path string) string {
	s.t.Helper()
	answer, err := s.http.Get(anyServer + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		s.t.Errorf("%s answered %d (%v), want 200", path, answer.StatusCode, err)
	}
	return string(text)
}
