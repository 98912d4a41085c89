package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// ErrExists says that an object is there already.
var ErrExists = errors.New("there is such an object already")

// Objects are objects of a bucket with names that their users make, and with contents that fit into memory. They
// are replaced, and made once, which no blob is. It knows nothing of what they are. It is safe for concurrent use.
type Objects struct{ s3 *S3 }

// OpenObjects returns those of the bucket at a location, in the form that Open takes. It does not call the server,
// which may be away.
func OpenObjects(location string) (*Objects, error) {
	if !strings.HasPrefix(location, "s3://") {
		return nil, errors.New("want a bucket, such as s3://signet?endpoint=s3.example.com")
	}
	b, err := parseBucket(location)
	if err != nil {
		return nil, err
	}
	s, err := openS3(b)
	if err != nil {
		return nil, err
	}
	return &Objects{s}, nil
}

// String says where they are, without a secret.
func (o *Objects) String() string { return strings.TrimSuffix(o.s3.String(), "/") }

// Close releases connections. It may be called twice.
func (o *Objects) Close() error { return o.s3.Close() }

// Put makes an object, or replaces it in one step.
func (o *Objects) Put(ctx context.Context, name string, content []byte) error {
	err := o.s3.within(ctx, requestTimeout, func(ctx context.Context) error {
		return o.s3.put(ctx, o.s3.prefix+name, content, "")
	})
	return o.s3.translated(ctx, "put "+name+" into the bucket", err)
}

// conflictRetry is how long it takes until an object is made again, where another request was at it.
const conflictRetry = 100 * time.Millisecond

// PutNew makes an object, and answers ErrExists where there is one: of several callers, one makes it.
func (o *Objects) PutNew(ctx context.Context, name string, content []byte) error {
	options := minio.PutObjectOptions{DisableContentSha256: true}
	options.SetMatchETagExcept("*")
	err := o.s3.within(ctx, requestTimeout, func(ctx context.Context) (err error) {
		for range tries {
			err = o.s3.putWith(ctx, o.s3.prefix+name, content, options)
			if minio.ToErrorResponse(err).StatusCode != http.StatusConflict {
				return err
			}
			select { // S3 does not say which of the two has made it
			case <-time.After(conflictRetry):
			case <-ctx.Done():
				return err
			}
		}
		return err
	})
	if minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed {
		err = ErrExists
	}
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("put %s into the bucket: %w", name, err)
	}
	return o.s3.translated(ctx, "put "+name+" into the bucket", err)
}

// Away reports whether an error of Objects says that the server gave no answer, or could give none at that time. Any
// other one is an answer.
func Away(err error) bool {
	answer, answered := errors.AsType[minio.ErrorResponse](err)
	if answered && answer.StatusCode != 0 {
		return answer.StatusCode >= http.StatusInternalServerError
	}
	return errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

// Get returns an object of up to most bytes, and how long ago it was made, by the server's clock, in whole seconds.
func (o *Objects) Get(ctx context.Context, name string, most int64) (content []byte, age time.Duration, err error) {
	err = o.s3.within(ctx, requestTimeout, func(ctx context.Context) error {
		body, info, header, err := o.s3.client.GetObject(ctx, o.s3.bucket, o.s3.prefix+name, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		if now, err := http.ParseTime(header.Get("Date")); err == nil {
			age = max(0, now.Sub(info.LastModified))
		}
		content, err = io.ReadAll(io.LimitReader(body, most+1))
		return errors.Join(err, body.Close())
	})
	if err == nil && int64(len(content)) > most {
		return nil, 0, fmt.Errorf("%s in the bucket is larger than %d bytes", name, most)
	}
	return content, age, o.s3.translated(ctx, "get "+name+" from the bucket", err)
}

// List calls fn with the names that begin with a prefix and come after another one, in order, until fn returns an
// error, which List returns.
func (o *Objects) List(ctx context.Context, prefix, after string, fn func(name string) error) error {
	ctx, cancel := context.WithCancel(ctx) // ends the listing with this call
	defer cancel()
	options := minio.ListObjectsOptions{Prefix: o.s3.prefix + prefix, Recursive: true, MaxKeys: o.s3.page}
	if after != "" {
		options.StartAfter = o.s3.prefix + after
	}
	for object := range o.s3.client.ListObjectsIter(ctx, o.s3.bucket, options) {
		if object.Err != nil {
			return o.s3.translated(ctx, "list the bucket", object.Err)
		}
		if err := fn(strings.TrimPrefix(object.Key, o.s3.prefix)); err != nil {
			return err
		}
	}
	return o.s3.translated(ctx, "list the bucket", ctx.Err())
}

// Delete removes objects, many in a request. Those that are not there are no error.
func (o *Objects) Delete(ctx context.Context, names []string) error {
	objects := func(yield func(minio.ObjectInfo) bool) {
		for _, name := range names {
			if !yield(minio.ObjectInfo{Key: o.s3.prefix + name}) {
				return
			}
		}
	}
	err := o.s3.within(ctx, requestTimeout, func(ctx context.Context) error {
		results, err := o.s3.client.RemoveObjectsWithIter(ctx, o.s3.bucket, objects, minio.RemoveObjectsOptions{})
		if err != nil {
			return err
		}
		var errs []error
		for result := range results {
			errs = append(errs, result.Err)
		}
		return errors.Join(slices.DeleteFunc(errs, func(err error) bool { return err == nil })...)
	})
	return o.s3.translated(ctx, "delete from the bucket", err)
}

// Versioned reports whether the bucket keeps what is replaced and deleted. A server that does not answer that is
// taken for one that does not.
func (o *Objects) Versioned(ctx context.Context) (bool, error) {
	var kept bool
	err := o.s3.within(ctx, requestTimeout, func(ctx context.Context) error {
		v, err := o.s3.client.GetBucketVersioning(ctx, o.s3.bucket)
		if status := minio.ToErrorResponse(err).StatusCode; status >= 400 && status < 500 ||
			status == http.StatusNotImplemented {
			return nil
		}
		kept = v.Enabled()
		return err
	})
	return kept, o.s3.translated(ctx, "ask whether the bucket keeps versions", err)
}
