package blob

import (
	"context"
	"time"

	"github.com/minio/minio-go/v7"

	"signet/internal/model"
)

// List implements Store. The names come a page at a time. Uploads in parts that
// began long ago are aborted first.
func (s *S3) List(ctx context.Context, fn func(id model.BlobID, kept time.Time) error) error {
	if err := s.abortStalled(ctx, time.Now().Add(-s.stalled)); err != nil {
		return s.translated(ctx, "abort unfinished uploads", err)
	}
	ctx, cancel := context.WithCancel(ctx) // ends the listing with this call
	defer cancel()
	objects := s.client.ListObjectsIter(ctx, s.bucket,
		minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true, MaxKeys: s.page})
	for object := range objects {
		if object.Err != nil {
			return s.translated(ctx, "list blobs", object.Err)
		}
		id, ours := s.blobOf(object.Key)
		if !ours {
			continue
		}
		if err := fn(id, object.LastModified); err != nil {
			return err
		}
	}
	return s.translated(ctx, "list blobs", ctx.Err())
}

// abortStalled aborts the uploads in parts that began before a time. Their parts
// cost money until then, and no list of objects shows them.
func (s *S3) abortStalled(ctx context.Context, before time.Time) error {
	key, name := "", ""
	for {
		var page minio.ListMultipartUploadsResult
		err := s.within(ctx, requestTimeout, func(ctx context.Context) (err error) {
			page, err = s.client.ListMultipartUploads(ctx, s.bucket, s.prefix, key, name, "", s.page)
			return err
		})
		if err != nil {
			return err
		}
		for _, upload := range page.Uploads {
			if _, ours := s.blobOf(upload.Key); !ours || !upload.Initiated.Before(before) {
				continue
			}
			err := s.within(ctx, requestTimeout, func(ctx context.Context) error {
				return s.client.AbortMultipartUpload(ctx, s.bucket, upload.Key, upload.UploadID)
			})
			if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchUpload {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		key, name = page.NextKeyMarker, page.NextUploadIDMarker
	}
}
