package blob

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"signet/internal/model"
)

// S3 keeps each blob as an object of a bucket, under the names that Directory
// gives its files: PREFIX/ab/cd/<32 hex digits>. A directory can so be copied
// into a bucket, and back, by any program that can do that.
//
// The server's own errors (no such bucket, access denied) are ErrUnavailable like one
// that does not answer: none of them is the caller's fault.
type S3 struct {
	client    minio.Core
	transport *http.Transport
	bucket    string
	prefix    string
	buffers   buffers

	page    int           // how many names a page of a list has at most
	stalled time.Duration // the age at which an unfinished upload counts as abandoned
}

// Times within which a request is answered, with its repetitions. A server that
// stands still is noticed by its connection (stallTimeout).
const (
	requestTimeout  = 20 * time.Second
	transferTimeout = 2 * time.Minute // of a part, and of putting parts together
	cleanupTimeout  = 5 * time.Second
	tries           = 3 // of a request that fails for a reason that may pass
)

const (
	listPage = 1000 // the most that S3 answers
	// stalledAge is the age at which an unfinished upload counts as abandoned: no
	// file takes that long. S3 does not say when the last part came.
	stalledAge = 24 * time.Hour
)

// openS3 returns the store in a bucket. It does not call the server, which may be
// away.
func openS3(b bucket) (*S3, error) {
	transport := newTransport(b.stall)
	keys := credentials.NewStaticV4(b.accessKey, b.secretKey, "")
	if b.accessKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		})
	}
	lookup := minio.BucketLookupAuto
	switch b.lookup {
	case "path":
		lookup = minio.BucketLookupPath
	case "host":
		lookup = minio.BucketLookupDNS
	}
	client, err := minio.NewCore(b.endpoint, &minio.Options{
		Creds: keys, Secure: !b.insecure, Transport: passing{transport}, Region: b.region, BucketLookup: lookup,
		MaxRetries: tries,
	})
	if err != nil {
		return nil, errors.New("the bucket's endpoint is HOST or HOST:PORT")
	}
	client.SetAppInfo("signet", "2")
	return &S3{
		client: *client, transport: transport, bucket: b.name, prefix: b.prefix,
		buffers: newBuffers(b.uploads), page: listPage, stalled: stalledAge,
	}, nil
}

// key is the name of a blob's object.
func (s *S3) key(id model.BlobID) string {
	name := hex.EncodeToString(id[:])
	return s.prefix + name[28:30] + "/" + name[30:32] + "/" + name
}

// blobOf returns the blob whose object has a name; ok is false for an object that
// is none of ours.
func (s *S3) blobOf(key string) (id model.BlobID, ok bool) {
	name := key[strings.LastIndexByte(key, '/')+1:]
	if len(name) != 2*len(id) {
		return id, false
	}
	if _, err := hex.Decode(id[:], []byte(name)); err != nil {
		return id, false
	}
	return id, s.key(id) == key
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, id model.BlobID) error {
	err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
		return s.client.RemoveObject(ctx, s.bucket, s.key(id), minio.RemoveObjectOptions{})
	})
	if err = s.translated(ctx, "delete blob", err); errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Begin implements Store.
func (s *S3) Begin(ctx context.Context) error {
	err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
		return s.put(ctx, s.prefix+MarkName, []byte(markText), "text/plain")
	})
	return s.translated(ctx, "begin a store in the bucket", err)
}

// put sends a whole object. Its digest goes along, so that the server notices what was
// changed on the way.
func (s *S3) put(ctx context.Context, key string, content []byte, contentType string) error {
	return s.putWith(ctx, key, content, minio.PutObjectOptions{DisableContentSha256: true, ContentType: contentType})
}

// putWith is put with other options.
func (s *S3) putWith(ctx context.Context, key string, content []byte, options minio.PutObjectOptions) error {
	_, err := s.client.PutObject(ctx, s.bucket, key, bytes.NewReader(content), int64(len(content)), "", digest(content),
		options)
	return err
}

// Begun implements Store.
func (s *S3) Begun(ctx context.Context) (bool, error) {
	err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
		_, err := s.client.StatObject(ctx, s.bucket, s.prefix+MarkName, minio.StatObjectOptions{})
		return err
	})
	if err = s.translated(ctx, "look for the store in the bucket", err); errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Check implements Store.
func (s *S3) Check(ctx context.Context) error {
	err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
		found, err := s.client.BucketExists(ctx, s.bucket)
		if err == nil && !found {
			err = errors.New("there is no such bucket")
		}
		return err
	})
	return s.translated(ctx, "look for bucket "+s.bucket, err)
}

// Close implements Store.
func (s *S3) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// within bounds the time that something takes.
func (s *S3) within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// translated turns an error of the client or the server into the store's own. ctx
// is the caller's: its end is no fault of the server.
func (s *S3) translated(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	case minio.ToErrorResponse(err).Code == minio.NoSuchKey:
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	return fmt.Errorf("%s: %w: %w", doing, ErrUnavailable, err)
}
