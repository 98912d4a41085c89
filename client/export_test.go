package client

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// An archive that breaks is an error, and is not asked for again: each leaves its entry in
// the audit log.
func TestExportUser_that_breaks_is_an_error(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := servePipe(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			_, _ = io.WriteString(w, "PK: a part")
			_ = http.NewResponseController(w).Flush()
			cut(w, r)
		})
		var got strings.Builder
		size, err := c.ExportUser(t.Context(), "me", &got)
		if err == nil || !errors.Is(err, io.ErrUnexpectedEOF) || size != int64(got.Len()) || calls != 1 {
			t.Errorf("got %d bytes of %q by %d calls, %v", size, got.String(), calls, err)
		}
	})
}

func TestExportUser_is_refused_while_another_is_made(t *testing.T) {
	c := servePipe(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"code":"too_many_exports"}}`)
	}, WithRetry(RetryPolicy{}))
	if _, err := c.ExportUser(t.Context(), "me", io.Discard); !errors.Is(err, ErrTooManyExports) {
		t.Errorf("got %v", err)
	}
}
