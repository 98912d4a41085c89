package blob

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocationsOfBuckets(t *testing.T) {
	plain := bucket{name: "files", endpoint: defaultEndpoint, uploads: defaultUploads, stall: stallTimeout}
	with := func(change func(*bucket)) bucket {
		b := plain
		change(&b)
		return b
	}
	for location, want := range map[string]bucket{
		"s3://files":  plain,
		"s3://files/": plain,
		"s3://files?endpoint=127.0.0.1:9000&insecure=true": with(func(b *bucket) {
			b.endpoint, b.insecure = "127.0.0.1:9000",
				true
		}),
		"s3://files?endpoint=http://minio:9000/": with(func(b *bucket) {
			b.endpoint, b.insecure = "minio:9000",
				true
		}),
		"s3://files?endpoint=https://s3.example.com": with(func(b *bucket) { b.endpoint = "s3.example.com" }),
		"s3://files?region=eu-central-1&prefix=/a/b/": with(func(b *bucket) {
			b.region, b.prefix = "eu-central-1",
				"a/b/"
		}),
		"s3://files?path-style=true":            with(func(b *bucket) { b.lookup = "path" }),
		"s3://files?path-style=false&uploads=4": with(func(b *bucket) { b.lookup, b.uploads = "host", 4 }),
		"s3://AKIA:a%2Fb%2Bc@files": with(func(b *bucket) {
			b.accessKey, b.secretKey = "AKIA",
				"a/b+c"
		}),
	} {
		if got, err := parseBucket(location); err != nil || got != want {
			t.Errorf("%s: got %+v, error %v, want %+v", location, got, err, want)
		}
	}
}

func TestWrongLocationsAreRefusedWithoutTheirSecrets(t *testing.T) {
	for _, location := range []string{
		"s3://", "s3://AKIA:hushhush@", "s3://AKIA:hush/hush@files", "s3://AKIA@files", "s3://:hushhush@files",
		"s3://files:80", "s3://files/folder",
		"s3://files#x", "s3://files?endpoint=", "s3://files?endpoint=a/b",
		"s3://AKIA:hushhush@files?endpoint=http://AKIA:hushhush@host",
		"s3://files?insecure=maybe", "s3://files?path-style=2", "s3://files?uploads=0", "s3://files?uploads=x",
		"s3://files?region=a&region=b",
		"s3://files?secret=hushhush", "s3://files?%zz", "gs://files", "https://AKIA:hushhush@s3.example.com/files",
	} {
		s, err := Open(location)
		if err == nil {
			s.Close()
			t.Errorf("%s was opened", location)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: error %v holds the secret", location, err)
		}
	}
}

func TestLocationsOfDirectories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "files")
	for _, location := range []string{path, "dir:" + path} {
		s, err := Open(location)
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := s.(*Directory); !ok || d.root != path {
			t.Errorf("%s: got %+v", location, s)
		}
	}
}

// A directory that somebody copied may lack what a server makes in it.
func TestExistingDirectoryIsOpenedAsItIs(t *testing.T) {
	path := t.TempDir()
	if _, err := OpenExisting(filepath.Join(path, "missing")); err == nil {
		t.Error("a directory that does not exist was opened")
	}
	s, err := OpenExisting("dir:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), blobID(1)); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 0 {
		t.Errorf("it made %v, error %v", entries, err)
	}
}
