package doctor

import (
	"errors"
	"testing"
	"time"
)

func TestWhatAServerSaysOfItself(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		what   string
		server Server
		want   []string
	}{
		{"nothing wrong", Server{Versions: []string{"v1", "v1"}, CertificateEnds: now.Add(90 * 24 * time.Hour),
			Time: now.Add(-time.Second), OpenFiles: 100, MostFiles: 1 << 20}, nil},
		{"nothing", Server{Away: errors.New("connection refused")}, []string{"server.away"}},
		{"an unknown authority", Server{Trust: errors.New("unknown authority")}, []string{"server.trust"}},
		{"little", Server{Closed: errors.New("403")}, []string{"server.closed"}},
		{"why it is not ready", Server{Reason: "stopping"}, []string{"server.ready"}},
		{"that it is a standby", Server{Reason: "standby: it has no whole copy yet"}, []string{"server.standby"}},
		{"warnings", Server{Warnings: []string{"clock: it is in doubt", "backlog: it fails"}},
			[]string{"server.warning", "server.warning"}},
		{"a late task", Server{Late: []string{"messages"}}, []string{"server.task"}},
		{"a part that is away", Server{Down: []string{"NATS"}}, []string{"server.part"}},
		{"two versions", Server{Versions: []string{"v1", "v2", "v1"}}, []string{"server.versions"}},
		{"another time", Server{Time: now.Add(-time.Minute)}, []string{"clock.server"}},
		{"many files", Server{OpenFiles: 9000, MostFiles: 10000}, []string{"server.files"}},
		{"a low limit of files", Server{OpenFiles: 10, MostFiles: 1024}, []string{"server.files"}},
		{"a certificate that ends", Server{CertificateEnds: now.Add(time.Hour)}, []string{"certificate.ends"}},
		{"a certificate that has ended", Server{CertificateEnds: now.Add(-time.Hour)}, []string{"certificate.ended"}},
	} {
		c.server.URL = "https://messages.test"
		wantCodes(t, c.what, ExamineServer(&c.server, now), c.want...)
	}
}

// TestWorstComesFirst, and of the same severity what was found first.
func TestWorstComesFirst(t *testing.T) {
	found := sorted([]Finding{{"c", Note, "", ""}, {"b", Warning, "", ""}, {"d", Note, "", ""}, {"a", Error, "", ""}})
	got := ""
	for _, f := range found {
		got += f.Code
	}
	if got != "abcd" {
		t.Errorf("the order is %s", got)
	}
}
