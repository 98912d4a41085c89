package api_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/testenv"
)

func (p *person) mustAttach(recipient, name, contentType string, content []byte) string {
	p.t.Helper()
	return p.do("POST", "/v2/message",
		parts(map[string]string{"recipient": recipient}, file{"attachment", name, contentType, content})).
		want(204).Header.Get("TT-X-Message-Id")
}

func TestAttachmentComesBackAsItWasSent(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	content := []byte("0123456789")
	id := c.alice.mustAttach(c.bob.token, "röntgen.png", "image/png", content)
	c.bob.get("/v2/message/" + id).reply().wantFields(fields{
		"body": "", "attachments": []fields{{"attachment_id": 1, "name": "röntgen.png", "content-type": "image/png",
			"size": 10}}, "attachment_name": "röntgen.png"})
	path := "/v2/message/" + id + "/attachment/1"
	for _, p := range []*person{c.alice, c.bob} {
		got := p.get(path).want(200).wantHeader("Content-Type", "image/png").wantHeader("Content-Length",
			"10").wantHeader("Accept-Ranges", "bytes")
		if !bytes.Equal(got.content, content) {
			t.Errorf("got %q", got.content)
		}
		got.wantHeader("Content-Disposition", `attachment; filename="r_ntgen.png"; filename*=UTF-8''r%C3%B6ntgen.png`)
	}
	tag := c.bob.get(path).Header.Get("ETag")
	if len(tag) < 4 || tag[0] != '"' {
		t.Errorf("ETag is %q, want a strong one", tag)
	}
	c.bob.get(path, header("If-None-Match", tag)).want(304).wantHeader("ETag", tag)
	c.bob.get(path, header("If-None-Match", `"other"`)).want(200)
	for asked, want := range map[string]string{"bytes=2-4": "234", "bytes=7-": "789", "bytes=-3": "789", "bytes=0-0": "0",
		"bytes=5-99": "56789"} {
		got := c.bob.get(path, header("Range", asked)).want(206)
		if string(got.content) != want || !strings.HasPrefix(got.Header.Get("Content-Range"), "bytes ") {
			t.Errorf("%s is %q (%s), want %q", asked, got.content, got.Header.Get("Content-Range"), want)
		}
	}
	c.bob.get(path, header("Range", "bytes=2-4"), header("If-Range", tag)).want(206)
	c.bob.get(path, header("Range", "bytes=2-4"), header("If-Range", `"other"`)).want(200)
	for _, none := range []string{"bytes=10-", "bytes=-0", "bytes=-", "bytes=9-3", "bytes=x-y"} {
		c.bob.get(path, header("Range", none)).wantError(416, "range_invalid").wantHeader("Content-Range", "bytes */10")
	}
	c.bob.get(path, header("Range", "lines=1-2")).want(200).wantHeader("Content-Length", "10")
	c.bob.get(path, header("If-Match", tag)).want(200)
	c.bob.get(path, header("If-Match", `"other"`)).wantError(412, "precondition_failed").wantHeader("Content-Type",
		"application/json")
	head := c.bob.do("HEAD", path).want(200).wantHeader("Content-Length", "10")
	if len(head.content) > 0 {
		t.Errorf("HEAD has the body %q", head.content)
	}
	for _, number := range []string{"0", "2", "01", "x", "-1"} {
		c.bob.get("/v2/message/" + id + "/attachment/" + number).wantMissing()
	}
	c.bob.get("/v2/message/" + c.alice.mustSend(c.bob.token, "plain") + "/attachment/1").wantMissing()
	empty := c.alice.mustAttach(c.bob.token, "empty", "", nil)
	c.bob.get("/v2/message/"+empty+"/attachment/1").want(200).wantHeader("Content-Length", "0").wantHeader("Content-Type",
		"application/octet-stream")
}

// Bytes that turn out to be unreadable when their head is already decided on would
// otherwise be a 200 that breaks off.
func TestAttachmentThatCannotBeReadIsAnErrorFromTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir = dir })
	id := c.alice.mustAttach(c.bob.token, "scan.png", "image/png", []byte("0123456789"))
	paths, err := filepath.Glob(filepath.Join(dir, "blobs", "??", "??", "*"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("files %q, error %v", paths, err)
	}
	// A directory can be opened, and has a size, but cannot be read.
	if err := errors.Join(os.Remove(paths[0]), os.Mkdir(paths[0], 0o700)); err != nil {
		t.Fatal(err)
	}
	path := "/v2/message/" + id + "/attachment/1"
	for _, asked := range []option{header("Accept", "*/*"), header("Range", "bytes=1-2")} {
		got := c.bob.get(path, asked).wantError(500, "internal")
		for _, name := range []string{"Content-Disposition", "Content-Range", "ETag", "Accept-Ranges"} {
			if value := got.Header.Get(name); value != "" {
				t.Errorf("the error has %s %q", name, value)
			}
		}
	}
	if logged := c.log.Take(); strings.Count(logged, "a call failed") != 2 {
		t.Errorf("the log holds %s", logged)
	}
}

func TestAttachmentTakesCredentialsInTheQuery(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	id := c.alice.mustAttach(c.bob.token, "a", "text/html", []byte("<script>"))
	path := "/v2/message/" + id + "/attachment/1"
	basic := func(p *person) string {
		return "?auth_basic=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(p.key+":"+p.secret)))
	}
	got := c.anyone().get(path+basic(c.bob)).want(200).wantHeader("Content-Type", "text/html")
	if !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Error("a browser may run what is in an attachment")
	}
	got.wantHeader("Cross-Origin-Resource-Policy", "same-origin") // nor may other pages show it
	c.anyone().get(path + basic(c.carl)).wantMissing()
	c.anyone().get(path + basic(c.bob.with(c.bob.key, "wrong"))).want(401)
	// Nowhere else.
	c.anyone().get("/v2/message/" + id + basic(c.bob)).want(401)
	c.anyone().get("/v2/user" + basic(c.bob)).want(401)
}

func TestAttachmentOfAnUploadThatCameToNothingIsErased(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir = dir })
	withFile := func(recipient, secret string, more ...option) *answer {
		t.Helper()
		return c.alice.do("POST", "/v2/message",
			append(more, parts(map[string]string{"recipient": recipient}, file{"attachment", "a", "", []byte(secret)}))...)
	}
	withFile("nobody", "needle-1").wantMissing()
	withFile(c.bob.token, "needle-2", requestID("r")).want(204)
	withFile(c.bob.token, "needle-2", requestID("r")).want(304)
	withFile(c.bob.token, "needle-3", requestID("r")).want(400)
	blobs := filepath.Join(dir, "blobs")
	sent := filesHolding(t, blobs, "")
	if len(sent) != 1 {
		t.Errorf("%d files are kept, want the one that was sent", len(sent))
	}
	// A repeat does not take the first one's file along.
	c.clock.Advance(25 * time.Hour)
	c.mustSweep()
	c.mustKeepHouse()
	if got := filesHolding(t, blobs, ""); !slices.Equal(got, sent) {
		t.Errorf("kept are %v, want what was sent, %v", got, sent)
	}
}

// Nothing is written for a message that is refused whatever follows: here there is no place
// to write to, so that an attempt would fail.
func TestRefusedUploadIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startClinic(t, func(f *figures) { f.dir, f.service.MessagesPerDay, f.api.AttachmentBytes = dir, 1, 100 })
	if err := os.RemoveAll(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	send := func(recipient string, size int, more ...string) *answer {
		t.Helper()
		said := map[string]string{"recipient": recipient}
		for i := 0; i < len(more); i += 2 {
			said[more[i]] = more[i+1]
		}
		return c.alice.do("POST", "/v2/message", parts(said, file{"attachment", "a", "", make([]byte, size)}))
	}
	if status := send(c.bob.token, 9).StatusCode; status < 500 {
		t.Fatalf("an upload without a place for it answers %d: this test looks at the wrong place", status)
	}
	c.log.Take()
	send("nobody", 9).wantMissing()
	send(c.bob.token, 9, "sender_organization", "another").wantMissing()
	send("nobody", 101).want(413) // which comes first
	send("nobody", 9, "ttl", "0").wantError(400, "ttl_invalid")
	c.alice.mustSend(c.bob.token, "the one of the day")
	send(c.bob.token, 9).wantError(429, "daily_limit")
	send("nobody", 9).wantError(429, "daily_limit")
}

func TestAttachmentDownloadThatHasBegunMayFinish(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	c := startClinic(t)
	content := bytes.Repeat([]byte("x"), 8<<20)
	id := c.alice.mustAttach(c.bob.token, "a", "", content)
	r := c.bob.request("GET", "/v2/message/"+id+"/attachment/1")
	response, err := c.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	c.alice.delete("/v2/message/" + id).want(204)
	c.mustSweep()
	var got bytes.Buffer
	if _, err := got.ReadFrom(response.Body); err != nil || got.Len() != len(content) {
		t.Errorf("got %d bytes and %v, want %d", got.Len(), err, len(content))
	}
	c.bob.get("/v2/message/" + id + "/attachment/1").wantMissing()
}

// Each of thousands of tiny ranges would have a segment of the file opened anew.
func TestSeveralRangesOfAFileAreAnsweredWithAllOfIt(t *testing.T) {
	t.Parallel()
	c := startClinic(t)
	file := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	path := "/v2/message/" + c.alice.mustAttach(c.bob.token, "a.bin", "application/octet-stream", file) + "/attachment/1"
	many := "bytes=0-0" + strings.Repeat(",70000-70000,1-1", 1000)
	for _, ranges := range []string{"bytes=0-0,2-2", "bytes=0-0,", many} {
		if got := c.bob.get(path, header("Range", ranges)).want(200); !bytes.Equal(got.content, file) {
			t.Errorf("%.30q is answered with %d bytes", ranges, len(got.content))
		}
	}
	if got := c.bob.get(path, header("Range", "bytes=70000-70001")).want(206); !bytes.Equal(got.content,
		file[70000:70002]) {
		t.Errorf("one range is answered %q", got.content)
	}
}
