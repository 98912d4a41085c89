package blob_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
)

func mustOpenObjects(t *testing.T, location string) *blob.Objects {
	t.Helper()
	o, err := blob.OpenObjects(location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

func TestObjectsAreReplacedListedAndDeleted(t *testing.T) {
	bucket := s3test.Shared(t).Bucket(t)
	o := mustOpenObjects(t, bucket.Location("prefix=two"))
	for _, name := range []string{"b/2", "b/1", "a", "b/1"} {
		if err := o.Put(t.Context(), name, []byte(name+" is here")); err != nil {
			t.Fatal(err)
		}
	}
	content, age, err := o.Get(t.Context(), "b/1", 100)
	if err != nil || string(content) != "b/1 is here" || age < 0 || age > time.Minute {
		t.Errorf("got %q of %v, error %v", content, age, err)
	}
	if _, _, err := o.Get(t.Context(), "c", 100); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("what is not there: error %v", err)
	}
	if _, _, err := o.Get(t.Context(), "b/1", 5); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("more than is wanted: error %v", err)
	}
	list := func(prefix, after string) (names []string) {
		t.Helper()
		err := o.List(t.Context(), prefix, after, func(name string) error { names = append(names, name); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if got := list("", ""); !slices.Equal(got, []string{"a", "b/1", "b/2"}) {
		t.Errorf("there are %q", got)
	}
	if got := list("b/", "b/1"); !slices.Equal(got, []string{"b/2"}) {
		t.Errorf("after b/1 there are %q", got)
	}
	if err := o.Delete(t.Context(), []string{"b/1", "b/2", "gone"}); err != nil {
		t.Error(err)
	}
	if got := bucket.Contents(t); !slices.Equal(got, []string{"two/a"}) {
		t.Errorf("there are still %q", got)
	}
}

func TestObjectIsMadeByOneOnly(t *testing.T) {
	o := mustOpenObjects(t, s3test.Shared(t).Bucket(t).Location())
	var made atomic.Int64
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			switch err := o.PutNew(t.Context(), "claim", []byte("mine")); {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, blob.ErrExists):
				t.Error(err)
			}
		})
	}
	running.Wait()
	if made.Load() != 1 {
		t.Errorf("%d made it", made.Load())
	}
}

// S3 answers 409 where two make an object at a time, and does not say which of them did.
func TestObjectIsMadeAgainAfterAConflict(t *testing.T) {
	server := s3test.Shared(t)
	bucket := server.Bucket(t)
	var status, times atomic.Int64
	at := server.Refusing(t, func(r *http.Request) int {
		if r.Method == http.MethodPut && times.Add(-1) >= 0 {
			return int(status.Load())
		}
		return 0
	})
	o := mustOpenObjects(t, bucket.Through(at))
	for _, c := range []struct {
		what          string
		status, times int64
		want          error
		away          bool
	}{
		{"nobody made it", http.StatusConflict, 2, nil, false},
		{"another one did", http.StatusConflict, 2, blob.ErrExists, false},
		{"it is not known", http.StatusConflict, 100, blob.ErrUnavailable, false},
		{"it is refused", http.StatusForbidden, 100, blob.ErrUnavailable, false},
		{"the server cannot at this time", http.StatusServiceUnavailable, 100, blob.ErrUnavailable, true},
	} {
		status.Store(c.status)
		times.Store(c.times)
		err := o.PutNew(t.Context(), "claim", []byte("mine"))
		if !errors.Is(err, c.want) || c.want == nil && err != nil || blob.Away(err) != c.away {
			t.Errorf("%s: error %v, away %v", c.what, err, blob.Away(err))
		}
	}
}

func TestObjectsOfABucketThatIsAwayAreUnavailable(t *testing.T) {
	server := s3test.Start(t)
	bucket := server.Bucket(t)
	o := mustOpenObjects(t, bucket.Location())
	if kept, err := o.Versioned(t.Context()); err != nil || kept {
		t.Errorf("the bucket keeps versions: %v, error %v", kept, err)
	}
	server.Stop(t)
	_, _, err := o.Get(t.Context(), "a", 100)
	for doing, err := range map[string]error{"get": err, "put": o.Put(t.Context(), "a", nil),
		"make": o.PutNew(t.Context(), "a", nil)} {
		if !errors.Is(err, blob.ErrUnavailable) || !blob.Away(err) || strings.Contains(err.Error(), s3test.SecretKey) {
			t.Errorf("%s: error %v", doing, err)
		}
	}
}

func TestObjectsAreInBucketsOnly(t *testing.T) {
	for _, location := range []string{"", "/srv/blobs", "dir:/srv", "s3://", "s3://bucket/path", "https://bucket"} {
		if o, err := blob.OpenObjects(location); err == nil {
			t.Errorf("%q is %s", location, o)
		}
	}
}
