// Package s3test gives tests a real S3 server: VersityGW, a gateway that speaks
// S3 and keeps its objects as files. It knows how to build, start, stop and
// restart one; it knows nothing of blobs.
//
// The gateway is a module of its own (directory gateway), which Go builds the first
// time and keeps in its cache. All tests of a test binary share one server, each
// with a bucket of its own, but those that stop theirs (Start). A server ends
// with the test binary, however that ends, and its data with it: a shell waits for
// the end of a pipe that the binary holds open.
package s3test
