package blob_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"signet/internal/blob"
	"signet/internal/blob/s3test"
	"signet/internal/testenv"
)

func TestConformanceOfDirectory(t *testing.T) {
	testContract(t, func(t testing.TB) (func() (blob.Store, error), func(testing.TB) []string) {
		root := filepath.Join(t.TempDir(), "blobs")
		open := func() (blob.Store, error) { return blob.Open("dir:" + root) }
		left := func(t testing.TB) (files []string) {
			t.Helper()
			err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					files = append(files, path)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return files
		}
		return open, left
	})
}

func TestConformanceOfS3(t *testing.T) {
	testenv.Long(t)
	testContract(t, func(t testing.TB) (func() (blob.Store, error), func(testing.TB) []string) {
		bucket := s3test.Shared(t).Bucket(t)
		open := func() (blob.Store, error) { return blob.OpenPaged(bucket.Location("prefix=/signet/files/"), 7) }
		return open, bucket.Contents
	})
}
