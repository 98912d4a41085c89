package blob

import (
	"context"
	"errors"
	"io"
	"net/http"

	"signet/internal/model"
	"signet/internal/trace"
)

// Traced wraps a store, so that each file that is kept, read or deleted is a span of what its
// context is of. A span says nothing of the file.
func Traced(inner Store) Store {
	place := "directory"
	if _, ok := inner.(*S3); ok {
		place = "s3"
	}
	return &traced{inner, place}
}

type traced struct {
	Store
	place string
}

func (s *traced) start(ctx context.Context, operation string) (context.Context, trace.Span) {
	ctx, span := trace.Start(ctx, trace.Blob)
	if span.Recorded() {
		span.Set(trace.File(operation), trace.Place(s.place))
	}
	return ctx, span
}

// Put implements Store.
func (s *traced) Put(ctx context.Context, id model.BlobID, r io.Reader) (int64, error) {
	ctx, span := s.start(ctx, "put")
	size, err := s.Store.Put(ctx, id, r)
	end(span, err)
	return size, err
}

// Open implements Store. The span ends when the file is closed.
func (s *traced) Open(ctx context.Context, id model.BlobID) (Blob, error) {
	ctx, span := s.start(ctx, "read")
	b, err := s.Store.Open(ctx, id)
	if err != nil || !span.Recorded() {
		end(span, err)
		return b, err
	}
	return &tracedBlob{Blob: b, span: span}, nil
}

// Delete implements Store.
func (s *traced) Delete(ctx context.Context, id model.BlobID) error {
	ctx, span := s.start(ctx, "delete")
	err := s.Store.Delete(ctx, id)
	end(span, err)
	return err
}

// tracedBlob is a file that is read.
type tracedBlob struct {
	Blob
	span trace.Span
	err  error // of reading, but for the end of the file
}

// Read implements Blob.
func (b *tracedBlob) Read(p []byte) (int, error) {
	n, err := b.Blob.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// Close implements Blob.
func (b *tracedBlob) Close() error {
	err := b.Blob.Close()
	end(b.span, errors.Join(b.err, err))
	return err
}

func end(span trace.Span, err error) {
	switch {
	case err == nil:
	case errors.Is(err, ErrNotFound):
		span.Fail("not_found")
	case errors.Is(err, ErrTooLarge):
		span.Fail("too_large")
	case errors.Is(err, ErrUnavailable):
		span.Fail("unavailable")
	case errors.Is(err, context.Canceled):
		span.Fail("canceled")
	default:
		span.Fail("failed")
	}
	span.End()
}

// passing passes the trace of a request on to the S3 server. It does not become part of what is
// signed.
type passing struct{ to http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	if parent := trace.Parent(r.Context()); parent != "" {
		r = r.Clone(r.Context())
		r.Header[trace.HeaderParent] = []string{parent}
	}
	return p.to.RoundTrip(r)
}
