package cli

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"signet/client"
)

// servedStatus reads the status of a server out of its answers to /readyz and /metrics.
// metrics is empty where it serves none here.
func servedStatus(ready bool, readyz, metrics string) *status {
	server := &client.ServerStatus{Ready: ready}
	s := &status{Running: true, Alive: 1, InstallationStatus: client.InstallationStatus{Time: time.Now().UTC(),
		Server: server}}
	lines := strings.Split(strings.TrimSpace(readyz), "\n")
	if !ready {
		server.Reason = lines[0]
	}
	for _, line := range lines[1:] {
		if text, ok := strings.CutPrefix(line, "warning: "); ok {
			topic, text, _ := strings.Cut(text, ": ")
			server.Warnings = append(server.Warnings, client.Warning{Topic: topic, Text: text})
		}
	}
	if metrics == "" {
		s.Problems = append(s.Problems, "/metrics does not answer, so that most is not known")
		return s
	}
	m := readSeries(metrics)
	for labels := range m["signet_build_info"] {
		server.Version, server.Commit = labelOf(labels, "version"), labelOf(labels, "commit")
		s.Data, _ = strconv.Atoi(labelOf(labels, "schema"))
	}
	server.StartedTime = m.time("process_start_time_seconds")
	s.Alive = cmp.Or(m.count("signet_nodes"), 1)
	server.Streams = m.count("signet_streams")
	server.Messages = client.MessageCounts{
		Sent: int64(m.sum("signet_messages_sent_total")), Copies: int64(m.sum("signet_message_copies_total")),
		Delivered: int64(m.sum("signet_message_copies_delivered_total")),
		Read:      int64(m.sum("signet_message_copies_read_total")),
		Expired:   int64(m.sum("signet_messages_expired_total")), Recalled: int64(m.sum("signet_messages_recalled_total")),
	}
	server.Transactions = client.TransactionCounts{
		Retried:     int64(m.sum("signet_store_retries_total")),
		Busy:        int64(m["signet_store_failures_total"][`reason="busy"`]),
		Unavailable: int64(m["signet_store_failures_total"][`reason="unavailable"`]),
	}
	if m.has("signet_queues") {
		s.Queues = &client.Queues{
			CountedTime: m.time("signet_queues_counted_timestamp_seconds"), Accounts: m.count("signet_queues"),
			Events: m.count("signet_queue_events"), OldestEventTime: m.since("signet_queue_oldest_age_seconds"),
			BehindByAge:    int(m["signet_queues_behind"][`reason="age"`]),
			BehindByLength: int(m["signet_queues_behind"][`reason="length"`]),
		}
	}
	server.Keys = m.count("signet_keyring_keys")
	s.Storage = client.Storage{DatabaseBytes: int64(m["signet_store_bytes"][`file="database"`]),
		LogBytes: int64(m["signet_store_bytes"][`file="log"`])}
	for labels, free := range m["signet_disk_free_bytes"] {
		if server.FreeBytes == nil {
			server.FreeBytes = map[string]int64{}
		}
		server.FreeBytes[labelOf(labels, "place")] = int64(free)
	}
	server.CertificateEndsTime = m.time("signet_tls_certificate_not_after_timestamp_seconds")
	if m.has("signet_backup_last_success_timestamp_seconds") {
		s.Backup = &client.Backup{SucceededTime: m.time("signet_backup_last_success_timestamp_seconds"),
			FailedTime: m.time("signet_backup_last_failure_timestamp_seconds"), Bytes: int64(m.sum("signet_backup_last_bytes"))}
	}
	s.Sweep = client.Waiting{Waiting: int(m["signet_sweep_backlog"][`what="messages"`]),
		OldestTime: m.since("signet_sweep_oldest_age_seconds")}
	s.Pieces = client.Waiting{Waiting: m.count("signet_pieces"), OldestTime: m.since("signet_pieces_oldest_age_seconds")}
	for _, labels := range slices.Sorted(maps.Keys(m["signet_task_late"])) {
		server.Tasks = append(server.Tasks, client.Task{
			Name:          labelOf(labels, "task"),
			SucceededTime: secondsTime(m["signet_task_last_success_timestamp_seconds"][labels]),
			Failures:      int64(m["signet_task_failures_total"][labels]), Late: m["signet_task_late"][labels] != 0,
		})
	}
	for _, part := range []struct{ name, series, labels string }{
		{"keyring", "signet_keyring_up", ""}, {"attachments", "signet_blobs_up", ""},
		{"nats", "signet_bus_connected", `by="nats"`},
	} {
		if up, served := m[part.series][part.labels]; served {
			server.Parts = append(server.Parts, client.Part{Name: part.name, Up: up != 0})
		}
	}
	return s
}

// series are the values of a page of metrics, by name and by the text of the labels.
type series map[string]map[string]float64

// readSeries reads a page in Prometheus' text format, as this program writes it.
func readSeries(page string) series {
	out := series{}
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || line[0] == '#' {
			continue
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(strings.TrimSuffix(line[:at], "}"), "{")
		if out[name] == nil {
			out[name] = map[string]float64{}
		}
		out[name][labels] = value
	}
	return out
}

func (s series) has(name string) bool { return len(s[name]) > 0 }

// sum adds up the series of a name.
func (s series) sum(name string) (total float64) {
	for _, value := range s[name] {
		total += value
	}
	return total
}

// count is sum for what is counted.
func (s series) count(name string) int { return int(s.sum(name)) }

// since reads a series that tells an age; 0 is none.
func (s series) since(name string) time.Time {
	if age := s.sum(name); age > 0 {
		return time.Now().Add(-time.Duration(age * float64(time.Second)))
	}
	return time.Time{}
}

// time reads a series that tells a time; 0 is none.
func (s series) time(name string) time.Time { return secondsTime(s.sum(name)) }

func secondsTime(seconds float64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

// labelOf returns the value of a label. Those of this program hold no quotation marks.
func labelOf(labels, name string) string {
	_, rest, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
