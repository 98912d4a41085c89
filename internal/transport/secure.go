package transport

import (
	"net/http"
	"strconv"
	"time"
)

// Secure tells browsers that came by HTTPS to come by nothing else for as long (RFC
// 6797). With 0 it tells them nothing.
func (p *Proxies) Secure(lasting time.Duration, next http.Handler) http.Handler {
	if lasting <= 0 {
		return next
	}
	value := []string{"max-age=" + strconv.FormatInt(int64(lasting/time.Second), 10)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Peer(r).HTTPS {
			w.Header()["Strict-Transport-Security"] = value
		}
		next.ServeHTTP(w, r)
	})
}
