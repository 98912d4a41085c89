package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/build"
	"signet/internal/config"
	"signet/internal/offline"
	"signet/internal/testenv"
)

// The status of a server says what its metrics say, and that of its store the same of
// what is stored.
func TestStatusOfAServerAndOfItsStore(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, cfg *config.Config) {
		w := mustOpenWardAt(t, cfg, false)
		for _, p := range w.everybody() {
			if _, err := p.DeleteEvents(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		w.sweep()
		// The operator, who made the organization, has an event too.
		for range 3 {
			w.mustSendTo(w.group, client.Outgoing{Body: "to all", TTL: -1})
		}
		operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
		measured := mustMeasure(t, w.app)
		s, err := operator.InstallationStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		alone := cfg.Database == ""
		wantNode(t, s, alone)
		wantFigures(t, s, alone)
		wantStatusAsMeasured(t, s, measured)
		if err := w.stop(); err != nil {
			t.Fatal(err)
		}
		stored, err := offline.StoredStatus(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if stored.Schema != s.Data || stored.Queues.Accounts != 3 || stored.Queues.Events != 7 ||
			stored.Backlog.Messages != 0 || alone != (stored.Database > 0) || alone != (len(stored.Nodes) == 0) {
			t.Errorf("the store's status is %+v", stored)
		}
	})
}

// wantNode asks for the one server that there is.
func wantNode(t *testing.T, s *client.InstallationStatus, alone bool) {
	t.Helper()
	version, commit := build.Info()
	server := s.Server
	if len(s.Nodes) != 1 || !s.Nodes[0].Alive || !s.Nodes[0].Answers || s.Nodes[0].Version != version ||
		s.Nodes[0].Name != server.Name || server.Name == "" || server.Version != version || server.Commit != commit {
		t.Errorf("nodes are %+v, the server %s %s %s", s.Nodes, server.Name, server.Version, server.Commit)
	}
	if heard := s.Time.Sub(s.Nodes[0].HeardTime).Abs(); alone && heard > time.Second {
		t.Errorf("the node was heard of %v ago", heard)
	}
}

// wantFigures asks for what three messages to a group and an organization of three leave.
func wantFigures(t *testing.T, s *client.InstallationStatus, alone bool) {
	t.Helper()
	server := s.Server
	if server.Messages.Sent != 3 || server.Messages.Copies != 6 || s.Queues.Accounts != 3 || s.Queues.Events != 7 ||
		server.Keys < 1 || server.FreeBytes["data"] == 0 || len(server.Parts) != 2 || !server.Parts[0].Up ||
		!server.Parts[1].Up || alone != (s.Backup != nil) || alone != (s.Storage.DatabaseBytes > 0) {
		t.Errorf("the status is %+v, %+v", s, server)
	}
	for _, task := range server.Tasks {
		if task.Late {
			t.Errorf("the task %s is late", task.Name)
		}
	}
}

// wantStatusAsMeasured compares what the status tells with the metrics.
func wantStatusAsMeasured(t *testing.T, s *client.InstallationStatus, measured map[string]float64) {
	t.Helper()
	server := s.Server
	for _, c := range []struct {
		what   string
		told   float64
		metric string
	}{
		{"sent", float64(server.Messages.Sent), `signet_messages_sent_total{to="group"}`},
		{"copies", float64(server.Messages.Copies), `signet_message_copies_total{to="group"}`},
		{"streams", float64(server.Streams), "signet_streams"},
		{"keys", float64(server.Keys), "signet_keyring_keys"},
		{"queues", float64(s.Queues.Accounts), "signet_queues"},
		{"events", float64(s.Queues.Events), "signet_queue_events"},
		{"waiting", float64(s.Sweep.Waiting), `signet_sweep_backlog{what="messages"}`},
		{"database", float64(s.Storage.DatabaseBytes), `signet_store_bytes{file="database"}`},
		{"retried", float64(server.Transactions.Retried), "signet_store_retries_total"},
	} {
		if c.told != measured[c.metric] {
			t.Errorf("%s: the status tells %v, the metrics %v", c.what, c.told, measured[c.metric])
		}
	}
}

// A task is late when it should have ended well since, and the metrics say so too.
func TestStatusTellsWhichTasksAreLate(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	w := mustOpenWard(t)
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	told := func() (late []string) {
		t.Helper()
		s, err := operator.InstallationStatus(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range s.Server.Tasks {
			if task.Late {
				late = append(late, task.Name)
			}
		}
		slices.Sort(late)
		return late
	}
	late := func() []string { // while no task is running
		t.Helper()
		all := told()
		var measured []string
		for name, value := range mustMeasure(t, w.app) {
			if task, ok := strings.CutPrefix(name, `signet_task_late{task="`); ok && value == 1 {
				measured = append(measured, strings.TrimSuffix(task, `"}`))
			}
		}
		if slices.Sort(measured); !slices.Equal(all, measured) {
			t.Errorf("the status says that %q are late, the metrics %q", all, measured)
		}
		return all
	}
	w.pass(10 * time.Minute)
	if got := late(); len(got) != 0 {
		t.Errorf("%q are late within ten minutes", got)
	}
	w.pass(time.Second)
	if got := late(); !slices.Contains(got, "messages") || slices.Contains(got, "records") {
		t.Errorf("%q are late after ten minutes", got)
	}
	w.pass(3 * time.Hour)
	if got := late(); !slices.Contains(got, "messages") || !slices.Contains(got, "records") {
		t.Errorf("%q are late after three hours", got)
	}
	w.sweep()
	wantIn(t, "nothing is late", func() bool { return len(told()) == 0 })
	if got := late(); len(got) != 0 {
		t.Errorf("%q are late after they ended well", got)
	}
}
