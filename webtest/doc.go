// Package webtest tests the pages in a real browser, against the built server: stories of
// what people do, each person in a browser of its own. It needs Chromium, and what
// `make pages` makes.
package webtest
