package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"signet/internal/model"
)

// pauses are how long is waited after the first failure, the second, and so on; after the last of them each
// time as long as that (contract, section 8).
var pauses = [...]time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// spread is by which share a pause is longer or shorter, at most: receivers that were away together are not
// called together.
const spread = 0.1

// nextTry returns when is tried again after so many failures in a row, the first of which was at since. wait
// is what the receiver asks for; it is tried no sooner. chance is from 0 to 1. The last try is at the end of
// model.WebhookPatience, and where that has passed there is none.
func nextTry(now, since time.Time, failures int, wait time.Duration, chance float64) (at time.Time, again bool) {
	end := since.Add(model.WebhookPatience)
	if !now.Before(end) {
		return time.Time{}, false
	}
	pause := pauses[min(max(failures, 1), len(pauses))-1]
	pause += time.Duration(float64(pause) * spread * (2*chance - 1))
	if at = now.Add(max(pause, wait)); at.After(end) {
		at = end
	}
	return at, true
}

// retryAfter reads how long the receiver wants to be left alone: seconds, or a date (RFC 9110, 10.2.3). What
// cannot be read is 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
