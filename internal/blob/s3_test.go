package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/model"
	"signet/internal/testenv"
)

var one = model.BlobID{0x01, 0x90, 14: 1, 15: 7}

func mustOpenS3(t testing.TB, location string) blob.Store {
	t.Helper()
	s, err := blob.Open(location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func random(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{9}).Read(b) // never fails
	return b
}

func mustKeep(t testing.TB, s blob.Store, id model.BlobID, content []byte) {
	t.Helper()
	if _, err := s.Put(t.Context(), id, bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t testing.TB, s blob.Store, id model.BlobID) []byte {
	t.Helper()
	b, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	content, err := io.ReadAll(b)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// wantUnavailable wants an error that says so and no secret.
func wantUnavailable(t testing.TB, what string, err error) {
	t.Helper()
	if !errors.Is(err, blob.ErrUnavailable) {
		t.Errorf("%s: error %v, want that the store is unavailable", what, err)
	} else if strings.Contains(err.Error(), s3test.SecretKey) {
		t.Errorf("%s: error %v holds the secret", what, err)
	}
}

// interrupted reads and calls between when half is read.
type interrupted struct {
	r       io.Reader
	after   int
	between func()
}

func (i *interrupted) Read(p []byte) (int, error) {
	if i.after <= 0 && i.between != nil {
		i.between()
		i.between = nil
	}
	n, err := i.r.Read(p)
	i.after -= n
	return n, err
}

func TestS3ThatIsAway(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	s := mustOpenS3(t, bucket.Location())
	content := random(12 << 20)
	mustKeep(t, s, one, content)
	half, err := s.Open(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer half.Close()
	head := make([]byte, 1<<20)
	if _, err := io.ReadFull(half, head); err != nil {
		t.Fatal(err)
	}

	two := model.BlobID{15: 2}
	begun := time.Now()
	_, err = s.Put(t.Context(), two, &interrupted{bytes.NewReader(content), 7 << 20, func() { server.Stop(t) }})
	wantUnavailable(t, "a server that is killed in the middle of an upload", err)
	if rest, err := io.ReadAll(half); !bytes.HasPrefix(content[len(head):], rest) {
		t.Error("what was read of a blob is wrong")
	} else {
		wantUnavailable(t, "a server that is killed in the middle of a download", err)
	}
	_, err = s.Put(t.Context(), two, bytes.NewReader(content[:100]))
	wantUnavailable(t, "Put", err)
	_, err = s.Open(t.Context(), one)
	wantUnavailable(t, "Open", err)
	wantUnavailable(t, "Delete", s.Delete(t.Context(), one))
	wantUnavailable(t, "List", s.List(t.Context(), func(model.BlobID, time.Time) error { return nil }))
	wantUnavailable(t, "Check", s.Check(t.Context()))
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v to say so", took)
	}

	server.Restart(t)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	if got := mustRead(t, s, one); !bytes.Equal(got, content) {
		t.Errorf("the blob has %d bytes afterwards", len(got))
	}
	if left := bucket.Contents(t); len(left) != 2 || !strings.HasPrefix(left[1], "unfinished ") {
		t.Fatalf("the bucket holds %q, want the blob and what the server's end left of the upload", left)
	}
	// The sweep, at first before the upload is old, then after.
	nothing := func(model.BlobID, time.Time) error { return nil }
	if err := s.List(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	if left := bucket.Contents(t); len(left) != 2 {
		t.Errorf("the bucket holds %q: a young upload was aborted", left)
	}
	blob.SetStalled(s, -time.Hour)
	if err := s.List(t.Context(), nothing); err != nil {
		t.Fatal(err)
	}
	if left := bucket.Contents(t); len(left) != 1 {
		t.Errorf("the bucket holds %q: the unfinished upload was not aborted", left)
	}
}

func TestS3ConnectionThatBreaksInADownloadIsMadeAgain(t *testing.T) {
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	proxy := s3test.NewProxy(t, s3test.Shared(t).Addr())
	s := mustOpenS3(t, bucket.Through(proxy.Addr()))
	content := random(6 << 20)
	mustKeep(t, s, one, content)
	b, err := s.Open(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	proxy.CutAfter(3 << 20)
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d bytes, error %v", len(got), err)
	}
}

func TestS3ThatStandsStillIsGivenUp(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	proxy := s3test.NewProxy(t, s3test.Shared(t).Addr())
	s, err := blob.OpenHurried(bucket.Through(proxy.Addr()), 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	content := random(6 << 20)
	mustKeep(t, s, one, content)
	b, err := s.Open(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	proxy.StallAfter(3 << 20)
	got, err := io.ReadAll(b)
	wantUnavailable(t, "a download", err)
	if !bytes.HasPrefix(content, got) || len(got) < 2<<20 {
		t.Errorf("%d bytes were read before", len(got))
	}
	_, err = s.Put(t.Context(), model.BlobID{15: 2}, bytes.NewReader(content))
	wantUnavailable(t, "an upload", err)
}

func TestS3IsAskedForTheRangeThatIsRead(t *testing.T) {
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	proxy := s3test.NewProxy(t, s3test.Shared(t).Addr())
	s := mustOpenS3(t, bucket.Through(proxy.Addr()))
	content := random(9 << 20)
	mustKeep(t, s, one, content)
	before := proxy.Passed()
	b, err := s.Open(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Seek(0, io.SeekEnd); err != nil { // as net/http finds the size
		t.Fatal(err)
	}
	if _, err := b.Seek(5<<20, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 1000)
	if _, err := io.ReadFull(b, got); err != nil || !bytes.Equal(got, content[5<<20:5<<20+1000]) {
		t.Errorf("error %v", err)
	}
	if ranges := proxy.Headers("Range"); len(ranges) != 1 || ranges[0] != "bytes=5242880-6291455" {
		t.Errorf("the server was asked for %q, want the range that begins at 5 MiB", ranges)
	}
	if passed := proxy.Passed() - before; passed > 2<<20 {
		t.Errorf("%d bytes came for 1000", passed)
	}
}

func TestS3SharesItsBucketWithOthers(t *testing.T) {
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	first, second := mustOpenS3(t, bucket.Location("prefix=first")), mustOpenS3(t, bucket.Location("prefix=second"))
	content := random(1000)
	mustKeep(t, first, one, content)
	for _, key := range []string{"first/README", "first/01/07/README", "first/0190000000000000000000000000" + "0107"} {
		if _, err := bucket.Client.Client.PutObject(t.Context(), bucket.Name, key, bytes.NewReader(nil), 0,
			minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"first/README", "second/01/07/01900000000000000000000000000107", "else"} {
		if _, err := bucket.Client.NewMultipartUpload(t.Context(), bucket.Name, key, minio.PutObjectOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	blob.SetStalled(first, -time.Hour)
	for name, store := range map[string]blob.Store{"first": first, "second": second} {
		var found []model.BlobID
		if err := store.List(t.Context(),
			func(id model.BlobID, _ time.Time) error { found = append(found, id); return nil }); err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"first": 1}[name]; len(found) != want {
			t.Errorf("%s lists %v, want %d", name, found, want)
		}
	}
	if err := second.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, first, one); !bytes.Equal(got, content) {
		t.Error("one store deleted the other's blob")
	}
	if left := bucket.Contents(t); len(left) != 7 {
		t.Errorf("the bucket holds %q, want all that was put there", left)
	}
}

func TestS3ThatRefusesIsUnavailable(t *testing.T) {
	t.Parallel()
	server := s3test.Shared(t)
	bucket := server.Bucket(t)
	missing := *bucket
	missing.Name = "no-such-bucket"
	for name, location := range map[string]string{
		"wrong_secret":      strings.Replace(bucket.Location(), s3test.SecretKey, "another-one", 1),
		"unknown_key":       strings.Replace(bucket.Location(), s3test.AccessKey, "somebody", 1),
		"no_such_bucket":    missing.Location(),
		"plain_HTTP_as_TLS": strings.Replace(bucket.Location(), "&insecure=true", "", 1),
		"nobody_listens":    bucket.Through("127.0.0.1:1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustOpenS3(t, location)
			_, err := s.Put(t.Context(), one, strings.NewReader("x"))
			wantUnavailable(t, "Put", err)
			wantUnavailable(t, "Check", s.Check(t.Context()))
			wantUnavailable(t, "List", s.List(t.Context(), func(model.BlobID, time.Time) error { return nil }))
		})
	}
}

func TestS3TakesCredentialsFromTheEnvironment(t *testing.T) {
	bucket := s3test.Shared(t).Bucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	location := strings.Replace(bucket.Location(), s3test.AccessKey+":"+s3test.SecretKey+"@", "", 1)
	if strings.Contains(location, "secret") {
		t.Fatalf("%s holds a secret", location)
	}
	s := mustOpenS3(t, location)
	mustKeep(t, s, one, []byte("x"))
	if got := mustRead(t, s, one); string(got) != "x" {
		t.Errorf("read %q", got)
	}
}

func TestS3UploadsWaitForMemory(t *testing.T) {
	t.Parallel()
	bucket := s3test.Shared(t).Bucket(t)
	s := mustOpenS3(t, bucket.Location("uploads=1"))
	entered, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		r := &interrupted{strings.NewReader("first"), 0, func() { close(entered); <-release }}
		_, err := s.Put(t.Context(), model.BlobID{15: 1}, r)
		first <- err
	}()
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, model.BlobID{15: 2}, strings.NewReader("impatient")); !errors.Is(err, context.Canceled) {
		t.Errorf("while another upload holds the memory: %v, want that it was cancelled", err)
	}
	second := make(chan error, 1)
	go func() {
		_, err := s.Put(t.Context(), model.BlobID{15: 3}, strings.NewReader("second"))
		second <- err
	}()
	close(release)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Error(err)
	}
	if left := bucket.Contents(t); len(left) != 2 {
		t.Errorf("the bucket holds %q", left)
	}
}
