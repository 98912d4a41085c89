// Package openapitest holds tests to the OpenAPI document: it stands between a
// test's client and the server, and fails the test when what is answered, or what is
// accepted, is not what the document promises.
//
// It owns the comparison: which operation a request is, and whether statuses,
// headers, bodies and events are as described. It changes nothing of what passes
// through, holds back nothing of a stream, and knows nothing of the server. It
// is imported by tests only.
package openapitest
