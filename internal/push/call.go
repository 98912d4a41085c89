package push

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"signet/internal/egress"
	"signet/internal/store/subscriptions"
	"signet/internal/webpush"
)

// outcome is what became of a push.
type outcome int

const (
	pushed  outcome = iota
	ended           // the browser does not subscribe any more
	failed          // it is tried again
	refused         // it is not
	unsent          // nobody was asked, or it was broken off: it is made again
)

const (
	// payloadSize is how many bytes each payload has before it is sealed.
	payloadSize = 64
	// longestLife is how long push services keep what they cannot deliver.
	longestLife = 28 * 24 * time.Hour
	// toldEvery is how often it is logged that a host refuses, and mostRefused of how many hosts in that time.
	toldEvery, mostRefused = time.Hour, 1000
)

// payload is all that a browser is told.
type payload struct {
	Priority    bool `json:"priority"`
	UnreadCount int  `json:"unread_count"`
}

// push makes a call.
func (r *round) push(ctx context.Context, c *call) result {
	out := result{call: *c}
	request, err := r.request(ctx, c)
	if err != nil {
		r.Log.Error("a push could not be made", "host", c.subscription.Host, "error", err)
		out.outcome = refused
		return out
	}
	answer, err := r.Guard.Client().Do(request)
	if err != nil {
		out.outcome = failed
		if errors.Is(err, egress.ErrRefused) {
			out.outcome = refused
			r.tellRefused(c.subscription.Host, "reason", "the settings do not allow it")
		}
		return out
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // so that the connection can be used again
	switch status := answer.StatusCode; {
	case status/100 == 2:
		out.outcome = pushed
	case status == http.StatusNotFound || status == http.StatusGone:
		out.outcome = ended
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		out.outcome, out.wait = failed, retryAfter(answer.Header.Get("Retry-After"), r.now)
	default:
		out.outcome = refused
		r.tellRefused(c.subscription.Host, "status", status)
	}
	return out
}

func (p *Pusher) count(o outcome) {
	switch o {
	case pushed:
		p.Counts.Pushed.Add(1)
	case ended:
		p.Counts.Ended.Add(1)
	case failed:
		p.Counts.Failed.Add(1)
	case refused:
		p.Counts.Refused.Add(1)
	}
}

// tellRefused logs that a push service refuses, now and then.
func (p *Pusher) tellRefused(host string, why ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock()
	if last, known := p.refused[host]; known && now.Sub(last) < toldEvery {
		return
	}
	if len(p.refused) >= mostRefused {
		maps.DeleteFunc(p.refused, func(_ string, last time.Time) bool { return now.Sub(last) >= toldEvery })
	}
	if len(p.refused) >= mostRefused {
		return
	}
	p.refused[host] = now
	p.Log.Warn("a push service does not take what is pushed", append([]any{"host", host}, why...)...)
}

// request is the one that asks the push service to deliver (RFC 8030, section 5).
func (r *round) request(ctx context.Context, c *call) (*http.Request, error) {
	to, err := r.Identity.seal.open(&c.subscription)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(payload{Priority: r.important(), UnreadCount: c.unread})
	if err != nil {
		return nil, err
	}
	body, err := to.Seal(text, payloadSize)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the endpoint makes no request") // the error would repeat it
	}
	authorization, err := r.Identity.key.Authorization(to.Endpoint, r.Contact, r.now)
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("Authorization", authorization)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Encoding", webpush.Encoding)
	h.Set("TTL", strconv.FormatInt(int64(r.life()/time.Second), 10))
	h.Set("Topic", r.Identity.seal.topic(c.subscription.Account))
	h.Set("Urgency", "normal")
	if r.important() {
		h.Set("Urgency", "high")
	}
	h.Set("User-Agent", "signet")
	return request, nil
}

// life is for how long a push service keeps what it cannot deliver: no longer than the message lives.
func (r *round) life() time.Duration {
	if r.message.Ends.IsZero() {
		return longestLife
	}
	return min(max(r.message.Ends.Sub(r.now), 0), longestLife)
}

// retryAfter reads a header of that name: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// parse reads a subscription as it is stored.
func parse(text []byte, s *subscriptions.Subscription) (webpush.Subscription, error) {
	var stored storedSubscription
	if err := json.Unmarshal(text, &stored); err != nil {
		return webpush.Subscription{}, fmt.Errorf("read subscription %s: %w", s.ID, err)
	}
	return webpush.ParseSubscription(stored.Endpoint, stored.P256DH, stored.Auth)
}
