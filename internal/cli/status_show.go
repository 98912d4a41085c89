package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// certificateLate is how long before its end a certificate is a problem.
const certificateLate = 14 * 24 * time.Hour

// note adds to the problems what the figures say, and puts them in order.
func (s *status) note(now time.Time) {
	add := func(format string, args ...any) { s.Problems = append(s.Problems, fmt.Sprintf(format, args...)) }
	if b := s.Backup; b != nil && b.FailedTime.After(b.SucceededTime) {
		add("the last backup failed: run it by hand, it says why")
	}
	server := s.Server
	if server == nil {
		add("no server answers on this machine")
		return
	}
	if !server.Ready {
		add("the server is not ready: %s", server.Reason)
	}
	for _, w := range server.Warnings {
		add("%s: %s", w.Topic, w.Text)
	}
	for _, task := range server.Tasks {
		switch {
		case !task.Late:
		case task.SucceededTime.IsZero():
			add("the task %s has not ended well since the start", task.Name)
		default:
			add("the task %s last ended well %v ago", task.Name, now.Sub(task.SucceededTime).Round(time.Minute))
		}
	}
	for _, part := range server.Parts {
		if !part.Up {
			add("%s", map[string]string{"keyring": "the key ring does not answer",
				"attachments": "the store of attachments does not answer", "nats": "NATS is away"}[part.Name])
		}
	}
	if ends := server.CertificateEndsTime; !ends.IsZero() && ends.Sub(now) < certificateLate {
		add("the certificate ends on %s: renew it", ends.UTC().Format(time.DateOnly))
	}
	slices.Sort(s.Problems)
}

// lines are the status for people.
func (s *status) lines(now time.Time) (lines []string) {
	add := func(what, format string, args ...any) {
		lines = append(lines, cells(what, fmt.Sprintf(format, args...)))
	}
	ago := func(at time.Time) string {
		if at.IsZero() {
			return "never"
		}
		return roughly(now.Sub(at)) + " ago"
	}
	since := func(at time.Time, what string) string { // nothing where nothing is so old
		if at.IsZero() {
			return ""
		}
		return fmt.Sprintf(what, roughly(now.Sub(at)))
	}
	server := s.Server
	switch {
	case server == nil:
		add("server", "none answers on this machine")
	case !server.Ready:
		add("server", "%s, not ready: %s", s.URL, server.Reason)
	default:
		add("server", "%s, ready", s.URL)
	}
	if server != nil && server.Version != "" {
		add("version", "%s (%s), data of version %d", server.Version, server.Commit, s.Data)
		add("started", "%s, %s", ago(server.StartedTime), server.StartedTime.Format(time.DateTime+" UTC"))
	} else if s.Data != 0 {
		add("data", "of version %d", s.Data)
	}
	store := s.Store
	if bytes := s.Storage.DatabaseBytes + s.Storage.LogBytes; bytes > 0 {
		store += ", " + size(bytes)
	}
	add("store", "%s, used by %s", store, count(s.Alive, "server", "servers"))
	if s.Store != "embedded" {
		for _, n := range s.Nodes {
			state := "last heard of "
			if n.Alive {
				state = "heard of "
			}
			add("node", "%s, %s, %s", n.Name, n.Version, state+ago(n.HeardTime))
		}
	}
	if server != nil && server.Version != "" {
		m := server.Messages
		add("messages", "%d sent to %d recipients, %d delivered, %d read, %d expired, %d recalled, since the start", m.Sent,
			m.Copies, m.Delivered, m.Read, m.Expired, m.Recalled)
		add("streams", "%d", server.Streams)
	}
	if q := s.Queues; q != nil {
		add("queues", "%d events of %d accounts%s; behind: %d by more than a day, %d by more than 1,000 events", q.Events,
			q.Accounts, since(q.OldestEventTime, ", the oldest %s old"), q.BehindByAge, q.BehindByLength)
	}
	sweep := fmt.Sprintf("%d messages wait%s", s.Sweep.Waiting, since(s.Sweep.OldestTime, ", the oldest for %s"))
	if server != nil && len(server.Tasks) > 0 {
		failures := int64(0)
		for _, task := range server.Tasks {
			failures += task.Failures
		}
		sweep += fmt.Sprintf("; %d failures", failures)
	}
	add("sweep", "%s", sweep)
	if server != nil && server.Version != "" {
		add("key ring", "%s", count(server.Keys, "key", "keys"))
		for _, place := range slices.Sorted(maps.Keys(server.FreeBytes)) {
			add("disk", "%s free for %s", size(server.FreeBytes[place]), place)
		}
	}
	if b := s.Backup; b != nil {
		last := ago(b.SucceededTime)
		if !b.SucceededTime.IsZero() {
			last += ", " + size(b.Bytes)
		}
		add("backup", "%s", last)
	}
	if server != nil && !server.CertificateEndsTime.IsZero() {
		add("certificate", "ends %s", server.CertificateEndsTime.Format(time.DateOnly))
	}
	return lines
}

// roughly writes a duration in its largest unit.
func roughly(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
