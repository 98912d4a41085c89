package cli

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"signet/internal/doctor"
)

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
	if ends := server.CertificateEndsTime; !ends.IsZero() && ends.Sub(now) < doctor.CertificateLate {
		add("the certificate ends on %s: renew it", ends.UTC().Format(time.DateOnly))
	}
	slices.Sort(s.Problems)
}

// lines are the status for people.
func (s *status) lines(now time.Time) []string {
	t := statusTable{status: s, now: now}
	t.addServer()
	t.addStore()
	t.addWork()
	t.addKept()
	return t.lines
}

// statusTable is what is written of a status at a time.
type statusTable struct {
	*status
	now   time.Time
	lines []string
}

func (t *statusTable) add(what, format string, args ...any) {
	t.lines = append(t.lines, cells(what, fmt.Sprintf(format, args...)))
}

func (t *statusTable) ago(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return roughly(t.now.Sub(at)) + " ago"
}

// since writes for how long something has lasted; nothing where nothing is so old.
func (t *statusTable) since(at time.Time, what string) string {
	if at.IsZero() {
		return ""
	}
	return fmt.Sprintf(what, roughly(t.now.Sub(at)))
}

// measured reports whether a server told its figures.
func (t *statusTable) measured() bool { return t.Server != nil && t.Server.Version != "" }

func (t *statusTable) addServer() {
	switch server := t.Server; {
	case server == nil:
		t.add("server", "none answers on this machine")
	case !server.Ready:
		t.add("server", "%s, not ready: %s", t.URL, server.Reason)
	default:
		t.add("server", "%s, ready", t.URL)
	}
	if t.measured() {
		t.add("version", "%s (%s), data of version %d", t.Server.Version, t.Server.Commit, t.Data)
		t.add("started", "%s, %s", t.ago(t.Server.StartedTime), t.Server.StartedTime.Format(time.DateTime+" UTC"))
	} else if t.Data != 0 {
		t.add("data", "of version %d", t.Data)
	}
}

// addStore adds the store and the servers that use it.
func (t *statusTable) addStore() {
	store := t.Store
	if bytes := t.Storage.DatabaseBytes + t.Storage.LogBytes; bytes > 0 {
		store += ", " + size(bytes)
	}
	t.add("store", "%s, used by %s", store, count(t.Alive, "server", "servers"))
	if t.Store == "embedded" {
		return
	}
	for _, n := range t.Nodes {
		state := "last heard of "
		if n.Alive {
			state = "heard of "
		}
		t.add("node", "%s, %s, %s", n.Name, n.Version, state+t.ago(n.HeardTime))
	}
}

// addWork adds what the server has done and what waits.
func (t *statusTable) addWork() {
	if t.measured() {
		m := t.Server.Messages
		t.add("messages", "%d sent to %d recipients, %d delivered, %d read, %d expired, %d recalled, since the start",
			m.Sent, m.Copies, m.Delivered, m.Read, m.Expired, m.Recalled)
		t.add("streams", "%d", t.Server.Streams)
	}
	if q := t.Queues; q != nil {
		t.add("queues", "%d events of %d accounts%s; behind: %d by more than a day, %d by more than 1,000 events", q.Events,
			q.Accounts, t.since(q.OldestEventTime, ", the oldest %s old"), q.BehindByAge, q.BehindByLength)
	}
	sweep := fmt.Sprintf("%d messages wait%s", t.Sweep.Waiting, t.since(t.Sweep.OldestTime, ", the oldest for %s"))
	if t.Server != nil && len(t.Server.Tasks) > 0 {
		failures := int64(0)
		for _, task := range t.Server.Tasks {
			failures += task.Failures
		}
		sweep += fmt.Sprintf("; %d failures", failures)
	}
	t.add("sweep", "%s", sweep)
}

// addKept adds what an installation must not run out of, or lose.
func (t *statusTable) addKept() {
	if t.measured() {
		t.add("key ring", "%s", count(t.Server.Keys, "key", "keys"))
		for _, place := range slices.Sorted(maps.Keys(t.Server.FreeBytes)) {
			t.add("disk", "%s free for %s", size(t.Server.FreeBytes[place]), place)
		}
	}
	if b := t.Backup; b != nil {
		last := t.ago(b.SucceededTime)
		if !b.SucceededTime.IsZero() {
			last += ", " + size(b.Bytes)
		}
		t.add("backup", "%s", last)
	}
	if t.Server != nil && !t.Server.CertificateEndsTime.IsZero() {
		t.add("certificate", "ends %s", t.Server.CertificateEndsTime.Format(time.DateOnly))
	}
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
