package s3test

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket is a bucket of one test's own.
type Bucket struct {
	Name   string
	Client minio.Core // looks at the bucket from outside

	server *Server
}

// Bucket makes an empty bucket.
func (s *Server) Bucket(t testing.TB) *Bucket {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true} // no connection outlives the test
	client, err := minio.NewCore(s.address, &minio.Options{
		Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Transport: transport, Region: "us-east-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	b := &Bucket{Name: "test-" + strings.ToLower(rand.Text()), Client: *client, server: s}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := client.MakeBucket(ctx, b.Name, minio.MakeBucketOptions{}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	return b
}

// Location names the bucket in the form of the setting "blobs", with the
// credentials and further parameters in the form name=value.
func (b *Bucket) Location(parameters ...string) string {
	return b.Through(b.server.address, parameters...)
}

// Through names the bucket by way of another host and port.
func (b *Bucket) Through(hostPort string, parameters ...string) string {
	query := append([]string{"endpoint=" + hostPort, "insecure=true", "region=us-east-1"}, parameters...)
	return "s3://" + AccessKey + ":" + SecretKey + "@" + b.Name + "?" + strings.Join(query, "&")
}

// markName is the name of the object that marks a store as begun.
const markName = "signet.mark"
const ownerName = "owner.json"

// Contents lists the keys of the bucket's objects but a store's marks, and of its
// unfinished uploads with the word "unfinished" in front.
func (b *Bucket) Contents(t testing.TB) (names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	for object := range b.Client.ListObjectsIter(ctx, b.Name, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil {
			t.Fatalf("list the bucket: %v", object.Err)
		}
		if name := object.Key[strings.LastIndexByte(object.Key, '/')+1:]; name != markName && name != ownerName {
			names = append(names, object.Key)
		}
	}
	uploads, err := b.Client.ListMultipartUploads(ctx, b.Name, "", "", "", "", 1000)
	if err != nil {
		t.Fatalf("list unfinished uploads: %v", err)
	}
	for _, upload := range uploads.Uploads {
		names = append(names, "unfinished "+upload.Key)
	}
	return names
}

// WaitUntil waits until the bucket's contents are as wanted.
func (b *Bucket) WaitUntil(t testing.TB, what string, wanted func(names []string) bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for names := b.Contents(t); !wanted(names); names = b.Contents(t) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s; the bucket holds %q", patience, what, names)
		}
		<-tick.C
	}
}
