package doctor

import (
	"slices"
	"strings"
	"time"
)

// Server is what a server says of itself, as far as it tells whoever asks.
type Server struct {
	URL      string
	Away     error  // why it does not answer; nil: it does
	Trust    error  // why its certificate is not trusted; nil: it is, or it was not asked for one
	Closed   error  // why it tells no more than whether it is ready; nil: it tells all
	Reason   string // why it is not ready; empty: it is
	Warnings []string
	Late     []string // tasks that are overdue
	Down     []string // parts that do not answer
	Versions []string // of the servers that share the database and are alive

	CertificateEnds      time.Time // zero: it has none, or that is not known
	Time                 time.Time // by its clock, when it answered; zero: not known
	OpenFiles, MostFiles int64     // 0: not known
}

// clockApart is by how much the clock of a server may differ from the one here: an answer takes
// its time.
const clockApart = 5 * time.Second

// server looks at what the server says, or whether one should.
func (e *examination) server() {
	s := e.Server
	switch {
	case e.Config != nil && s == nil, e.Config != nil && s.Away != nil:
		e.silent()
		return
	case s.Trust != nil:
		e.find("server.trust", "the certificate of %s is not trusted: %v", s.URL, s.Trust)
		return
	case s.Away != nil:
		e.find("server.away", "%s does not answer: %v", s.URL, s.Away)
		return
	}
	if how, standby := strings.CutPrefix(s.Reason, "standby: "); standby {
		e.find("server.standby", "the server is a standby, which serves nobody: %s", how)
	} else if s.Reason != "" {
		e.find("server.ready", "the server is not ready: %s", s.Reason)
	}
	if s.Closed != nil {
		e.find("server.closed", "%s tells no more: %v", s.URL, s.Closed)
	}
	for _, text := range s.Warnings {
		e.find("server.warning", "%s", text)
	}
	for _, name := range s.Late {
		e.find("server.task", "the task %s is overdue", name)
	}
	for _, name := range s.Down {
		e.find("server.part", "%s does not answer", name)
	}
	if versions := slices.Compact(slices.Sorted(slices.Values(s.Versions))); len(versions) > 1 {
		e.find("server.versions", "servers of the versions %q share the database", versions)
	}
	if e.Config == nil || e.Config.TLS.Cert == "" { // else the file was looked at
		e.certificateUntil("the server's certificate", s.CertificateEnds)
	}
	if !s.Time.IsZero() && s.Time.Sub(e.Now).Abs() > clockApart {
		e.find("clock.server", "the server's clock and this machine's differ by %v",
			s.Time.Sub(e.Now).Abs().Round(time.Second))
	}
	if s.MostFiles > 0 && (s.OpenFiles > s.MostFiles*4/5 || s.MostFiles < leastFiles) {
		e.find("server.files", "the server has %d files open, and may have %d", s.OpenFiles, s.MostFiles)
	}
}

// silent looks whether a server that does not answer should.
func (e *examination) silent() {
	if !e.running {
		e.find("server.none", "no server answers on this machine")
		return
	}
	why := ""
	if e.Server != nil {
		why = ": " + e.Server.Away.Error()
	}
	e.find("server.silent", "a process uses the data directory %s, and no server answers%s", e.Config.Data, why)
}
