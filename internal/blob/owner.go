package blob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/minio/minio-go/v7"

	"signet/internal/model"
)

// ownerName is the file, or object, with the mark of a place's owner. No blob can
// have that name, so no list shows it.
const ownerName = "owner.json"

// mostOwnerBytes is more than a mark has.
const mostOwnerBytes = 64 << 10

func readOwner(text []byte, where string) (m model.Mark, err error) {
	if err = json.Unmarshal(text, &m); err == nil && m.Nobody() {
		err = errors.New("it names nobody")
	}
	if err != nil {
		return m, fmt.Errorf("%s, which says whose the attachments there are, cannot be read (%w): put it back as it was, "+
			"or remove it if nobody else uses the place", where, err)
	}
	return m, nil
}

// String implements Store.
func (d *Directory) String() string { return d.root }

// Owner implements Store.
func (d *Directory) Owner(context.Context) (m model.Mark, err error) {
	path := filepath.Join(d.root, ownerName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, translated("read whose the attachments are", err)
	}
	return readOwner(text, path)
}

// SetOwner implements Store. The file takes the place of the old one in one step.
func (d *Directory) SetOwner(_ context.Context, m model.Mark) (err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := d.begin(filepath.Join(d.root, ownerName))
	if err != nil {
		return refused("mark the attachments", err)
	}
	defer func() { err = refused("mark the attachments", errors.Join(err, ignoreMissing(f.Discard()))) }()
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	// An administrator may write it, and the server's user has to read it; the directory
	// keeps others out. Not every file system has modes.
	_ = f.Chmod(0o644)
	return f.Commit()
}

// String implements Store.
func (s *S3) String() string { return "s3://" + s.bucket + "/" + s.prefix }

// Owner implements Store.
func (s *S3) Owner(ctx context.Context) (m model.Mark, err error) {
	var text []byte
	err = s.within(ctx, requestTimeout, func(ctx context.Context) error {
		object, _, _, err := s.client.GetObject(ctx, s.bucket, s.prefix+ownerName, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		text, err = io.ReadAll(io.LimitReader(object, mostOwnerBytes))
		return errors.Join(err, object.Close())
	})
	if err = s.translated(ctx, "read whose the attachments are", err); errors.Is(err, ErrNotFound) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	return readOwner(text, s.String()+ownerName)
}

// SetOwner implements Store.
func (s *S3) SetOwner(ctx context.Context, m model.Mark) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	err = s.within(ctx, requestTimeout, func(ctx context.Context) error {
		return s.put(ctx, s.prefix+ownerName, append(text, '\n'), "application/json")
	})
	return s.translated(ctx, "mark the attachments", err)
}
