package client

import (
	"context"
	"time"
)

// InstallationStatus is how an installation does. What is in Server the server that answered knows of
// itself; the rest is the same on all servers.
type InstallationStatus struct {
	Time    time.Time     `json:"time"`
	Store   string        `json:"store"` // embedded or postgresql
	Data    int           `json:"data_version"`
	Nodes   []Node        `json:"nodes"`
	Server  *ServerStatus `json:"server"`
	Storage Storage       `json:"storage"`
	Sweep   Waiting       `json:"sweep"`            // messages that have ended and are not removed yet
	Pieces  Waiting       `json:"pieces"`           // what calls left to be done in pieces
	Queues  *Queues       `json:"queues,omitempty"` // nil: not counted yet
	Backup  *Backup       `json:"backup,omitempty"` // nil: the database does not tell
}

// Node is a server as those that share its database know it.
type Node struct {
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	StartedTime time.Time `json:"started_time"`
	HeardTime   time.Time `json:"heard_time"` // when it last said that it is there
	Alive       bool      `json:"alive"`      // that was not long ago
	Answers     bool      `json:"answers"`    // it is the one that answered
}

// ServerStatus is what a server knows of itself. Counts begin with its start.
type ServerStatus struct {
	Name                string            `json:"name"`
	Version             string            `json:"version"`
	Commit              string            `json:"commit"`
	StartedTime         time.Time         `json:"started_time"`
	Uptime              int64             `json:"uptime"` // seconds
	Ready               bool              `json:"ready"`
	Reason              string            `json:"reason,omitempty"` // why it is not ready
	Streams             int               `json:"streams"`          // open
	Messages            MessageCounts     `json:"messages"`
	Transactions        TransactionCounts `json:"transactions"`
	Tasks               []Task            `json:"tasks"`
	Parts               []Part            `json:"parts"`
	Keys                int               `json:"keys"`       // in the key ring
	FreeBytes           map[string]int64  `json:"free_bytes"` // on disks, by what is kept there: data, attachments
	CertificateEndsTime time.Time         `json:"certificate_ends_time,omitzero"`
	Warnings            []Warning         `json:"warnings"`
}

// MessageCounts are what became of messages at a server.
type MessageCounts struct {
	Sent      int64 `json:"sent"`
	Copies    int64 `json:"copies"` // of these, one for each recipient
	Delivered int64 `json:"delivered"`
	Read      int64 `json:"read"`
	Expired   int64 `json:"expired"`
	Recalled  int64 `json:"recalled"`
}

// TransactionCounts are those of the store that did not succeed at once.
type TransactionCounts struct {
	Retried     int64 `json:"retried"`     // tried again
	Busy        int64 `json:"busy"`        // given up, because others held what they need
	Unavailable int64 `json:"unavailable"` // given up, because the store was not there
}

// Task is a part of the sweep or of housekeeping.
type Task struct {
	Name          string    `json:"name"`
	SucceededTime time.Time `json:"succeeded_time,omitzero"` // last; zero: not since the start
	Failures      int64     `json:"failures"`                // each is tried again
	Late          bool      `json:"late"`                    // it should have ended well since
}

// Part is something that a server works with: keyring, attachments or nats.
type Part struct {
	Name          string    `json:"name"`
	Up            bool      `json:"up"`
	AwaySinceTime time.Time `json:"away_since_time,omitzero"` // zero: it is there, or that is not known
	RefusedCalls  int       `json:"refused_calls"`            // while it is away
}

// Warning is something that an operator has to see to.
type Warning struct {
	Topic string `json:"topic"`
	Text  string `json:"text"`
}

// Storage is how much room data takes; 0: not known.
type Storage struct {
	DatabaseBytes int64 `json:"database_bytes,omitempty"`
	LogBytes      int64 `json:"log_bytes,omitempty"` // the write-ahead log of the embedded store
}

// Waiting is work that is to be done.
type Waiting struct {
	Waiting    int       `json:"waiting"`
	OldestTime time.Time `json:"oldest_time,omitzero"` // since when; zero: nothing waits
}

// Queues are the queues of all accounts, as they were when they were counted.
type Queues struct {
	CountedTime     time.Time `json:"counted_time"`
	Accounts        int       `json:"accounts"` // with something queued
	Events          int       `json:"events"`
	BehindByAge     int       `json:"behind_by_age"`    // accounts with an event older than a day
	BehindByLength  int       `json:"behind_by_length"` // accounts with more than 1,000 events
	OldestEventTime time.Time `json:"oldest_event_time,omitzero"`
}

// Backup is what is known of backups of the embedded store.
type Backup struct {
	SucceededTime time.Time `json:"succeeded_time,omitzero"` // zero: never
	Age           int64     `json:"age,omitempty"`           // seconds since then
	Bytes         int64     `json:"bytes,omitempty"`
	FailedTime    time.Time `json:"failed_time,omitzero"` // zero: never
}

// InstallationStatus returns how the installation does, for operators (GET /status).
func (c *Client) InstallationStatus(ctx context.Context) (*InstallationStatus, error) {
	return fetch[InstallationStatus](ctx, c, get("status"))
}

// Brand is what the house that runs a server calls itself.
type Brand struct {
	Name string `json:"name"` // empty: it has none
	Logo bool   `json:"logo"` // there is one
}

// Brand returns the name of the house, and whether it has a logo (GET /brand).
func (c *Client) Brand(ctx context.Context) (*Brand, error) {
	return fetch[Brand](ctx, c, get("brand"))
}

// OpenBrandLogo downloads the logo of the house (GET /brand/logo). The caller closes it.
func (c *Client) OpenBrandLogo(ctx context.Context) (*Download, error) {
	return c.open(ctx, get("brand", "logo"), 0, "")
}

// ServerSetting is a setting of a server as it is in force, and where that was said.
type ServerSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`            // as a flag would give it; what signs in is left out
	Secret bool   `json:"secret"`           // something that signs in is set, and *** stands for it
	Source string `json:"source"`           // default, file, environment or flag
	Origin string `json:"origin,omitempty"` // where exactly; empty: the default
}

// Settings returns the settings of the server that answers, for operators, in the order of
// their documentation (GET /settings).
func (c *Client) Settings(ctx context.Context) ([]ServerSetting, error) {
	all, err := fetch[struct {
		Results []ServerSetting `json:"results"`
	}](ctx, c, get("settings"))
	if err != nil {
		return nil, err
	}
	return all.Results, nil
}
