package api

import (
	"context"
	"time"

	"signet/internal/api/wire"
	"signet/internal/overview"
)

// wireStatus is how an installation does.
type wireStatus struct {
	Time    wire.Time   `json:"time"`
	Store   string      `json:"store"`
	Data    int         `json:"data_version"`
	Nodes   []wireNode  `json:"nodes"`
	Server  wireServer  `json:"server"`
	Storage wireStorage `json:"storage"`
	Sweep   wireWaiting `json:"sweep"`
	Pieces  wireWaiting `json:"pieces"`
	Queues  *wireQueues `json:"queues,omitempty"`
	Backup  *wireBackup `json:"backup,omitempty"`
}

// wireNode is a server as those that share its store know it.
type wireNode struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	StartedTime wire.Time `json:"started_time"`
	HeardTime   wire.Time `json:"heard_time"`
	Alive       bool      `json:"alive"`
	Answers     bool      `json:"answers"`
}

// wireServer is what the server that answers knows of itself.
type wireServer struct {
	Name                string                `json:"name"`
	Version             string                `json:"version"`
	Commit              string                `json:"commit"`
	StartedTime         wire.Time             `json:"started_time"`
	Uptime              int64                 `json:"uptime"`
	Ready               bool                  `json:"ready"`
	Reason              string                `json:"reason,omitempty"`
	Streams             int                   `json:"streams"`
	Messages            wireMessageCounts     `json:"messages"`
	Transactions        wireTransactionCounts `json:"transactions"`
	Tasks               []wireTask            `json:"tasks"`
	Parts               []wirePart            `json:"parts"`
	Keys                int                   `json:"keys"`
	FreeBytes           map[string]int64      `json:"free_bytes"`
	CertificateEndsTime wire.Time             `json:"certificate_ends_time,omitzero"`
	Warnings            []wireWarning         `json:"warnings"`
}

type wireMessageCounts struct {
	Sent      int64 `json:"sent"`
	Copies    int64 `json:"copies"`
	Delivered int64 `json:"delivered"`
	Read      int64 `json:"read"`
	Expired   int64 `json:"expired"`
	Recalled  int64 `json:"recalled"`
}

type wireTransactionCounts struct {
	Retried     int64 `json:"retried"`
	Busy        int64 `json:"busy"`
	Unavailable int64 `json:"unavailable"`
}

type wireTask struct {
	Name          string    `json:"name"`
	SucceededTime wire.Time `json:"succeeded_time,omitzero"`
	Failures      int64     `json:"failures"`
	Late          bool      `json:"late"`
}

type wirePart struct {
	Name          string    `json:"name"`
	Up            bool      `json:"up"`
	AwaySinceTime wire.Time `json:"away_since_time,omitzero"`
	RefusedCalls  int       `json:"refused_calls"`
}

type wireWarning struct {
	Topic string `json:"topic"`
	Text  string `json:"text"`
}

type wireStorage struct {
	DatabaseBytes int64 `json:"database_bytes,omitempty"`
	LogBytes      int64 `json:"log_bytes,omitempty"`
}

type wireWaiting struct {
	Waiting    int       `json:"waiting"`
	OldestTime wire.Time `json:"oldest_time,omitzero"`
}

type wireQueues struct {
	CountedTime     wire.Time `json:"counted_time"`
	Accounts        int       `json:"accounts"`
	Events          int       `json:"events"`
	BehindByAge     int       `json:"behind_by_age"`
	BehindByLength  int       `json:"behind_by_length"`
	OldestEventTime wire.Time `json:"oldest_event_time,omitzero"`
}

type wireBackup struct {
	SucceededTime wire.Time `json:"succeeded_time,omitzero"`
	Age           *int64    `json:"age,omitempty"`
	Bytes         int64     `json:"bytes,omitempty"`
	FailedTime    wire.Time `json:"failed_time,omitzero"`
}

// getStatus: GET /status.
func (a *API) getStatus(ctx context.Context, c *call) (answer, error) {
	s, err := a.overview.Status(ctx, c.actor)
	if err != nil {
		return answer{}, err
	}
	out := wireStatus{
		Time: wire.Time(s.Asked), Store: "postgresql", Data: s.Schema, Nodes: []wireNode{},
		Server:  shownServer(&s.Server, s.Asked),
		Storage: wireStorage{s.Storage.Database, s.Storage.Log},
		Sweep:   wireWaiting{s.Sweep.Count, wire.Time(s.Sweep.Oldest)},
		Pieces:  wireWaiting{s.Pieces.Count, wire.Time(s.Pieces.Oldest)},
	}
	if s.Embedded {
		out.Store = "embedded"
	}
	for _, n := range s.Nodes {
		out.Nodes = append(out.Nodes,
			wireNode{n.Name, n.Version, wire.Time(n.Started), wire.Time(n.Heard), n.Alive, n.Self})
	}
	if q := s.Queues; q != nil {
		out.Queues = &wireQueues{wire.Time(q.Counted), q.Accounts, q.Events, q.Old, q.Long, wire.Time(q.Oldest)}
	}
	if b := s.Backup; b != nil {
		out.Backup = &wireBackup{SucceededTime: wire.Time(b.Succeeded), Bytes: b.Bytes, FailedTime: wire.Time(b.Failed)}
		if !b.Succeeded.IsZero() {
			out.Backup.Age = new(secondsOf(s.Asked.Sub(b.Succeeded)))
		}
	}
	return reply(out), nil
}

func shownServer(s *overview.Server, now time.Time) wireServer {
	out := wireServer{
		Name: s.Name, Version: s.Version, Commit: s.Commit, StartedTime: wire.Time(s.Started),
		Uptime: secondsOf(now.Sub(s.Started)), Ready: s.NotReady == nil, Streams: s.Streams,
		Messages: wireMessageCounts(s.Messages), Transactions: wireTransactionCounts(s.Transactions),
		Tasks: []wireTask{}, Parts: []wirePart{}, Keys: s.Keys, FreeBytes: s.Free,
		CertificateEndsTime: wire.Time(s.CertificateEnds), Warnings: []wireWarning{},
	}
	if s.NotReady != nil {
		out.Reason = s.NotReady.Error()
	}
	for _, t := range s.Tasks {
		out.Tasks = append(out.Tasks, wireTask{t.Name, wire.Time(t.Succeeded), t.Failures, t.Late})
	}
	for _, p := range s.Parts {
		out.Parts = append(out.Parts, wirePart{p.Name, p.Up, wire.Time(p.Since), p.Refused})
	}
	for _, w := range s.Warnings {
		out.Warnings = append(out.Warnings, wireWarning(w))
	}
	return out
}

// secondsOf is how long something lasted in whole seconds, 0 where a clock was put back.
func secondsOf(d time.Duration) int64 { return max(0, int64(d/time.Second)) }
