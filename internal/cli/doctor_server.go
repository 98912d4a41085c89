package cli

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"

	"signet/client"
	"signet/internal/config"
	"signet/internal/doctor"
)

// partNames are those of the parts that a server tells of.
var partNames = map[string]string{"keyring": "the key ring", "attachments": "the place of the attachments",
	"nats": "NATS"}

// localServer asks the server of this machine how it does: as its operator, if that is possible.
func localServer(ctx context.Context, con *console, cfg *config.Config) *doctor.Server {
	served, err := readServed(ctx, con, cfg)
	if err != nil {
		return &doctor.Server{Away: err}
	}
	told := servedStatus(served.ready, served.readyz, served.metrics)
	if asked, err := callStatus(ctx, con, cfg); err == nil {
		told = asked
	}
	s := &doctor.Server{URL: served.url}
	tell(s, &told.InstallationStatus)
	figures := readSeries(served.metrics)
	s.OpenFiles, s.MostFiles = int64(figures.sum("process_open_fds")), int64(figures.sum("process_max_fds"))
	return s
}

// remoteServer asks a server elsewhere. data is the directory with the credentials, if a flag names it.
func remoteServer(ctx context.Context, con *console, at, data string) *doctor.Server {
	s := &doctor.Server{URL: strings.TrimSuffix(strings.TrimRight(at, "/"), "/v2")}
	if err := askReady(ctx, s); err != nil {
		if errors.As(err, new(*tls.CertificateVerificationError)) {
			s.Trust = err
		} else {
			s.Away = err
		}
		return s
	}
	c, err := accessTo(data).ProvideClient(con)
	if err != nil {
		s.Closed = err
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	told, err := c.InstallationStatus(ctx)
	if err != nil {
		s.Closed = err
		return s
	}
	tell(s, told)
	s.Time = told.Time
	return s
}

// askReady asks a server, which somebody else's certificate would not do for, whether it is ready. A
// proxy in front of it may keep that to itself.
func askReady(ctx context.Context, s *doctor.Server) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/readyz", nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return err
	}
	if said, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		s.Time = said
	}
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusServiceUnavailable {
		tell(s, &servedStatus(answer.StatusCode == http.StatusOK, string(text), "").InstallationStatus)
	}
	if answer.TLS != nil && len(answer.TLS.PeerCertificates) > 0 {
		s.CertificateEnds = answer.TLS.PeerCertificates[0].NotAfter
	}
	return nil
}

// tell adds to a server what a status says of it.
func tell(s *doctor.Server, told *client.InstallationStatus) {
	s.Reason, s.Warnings = "", nil
	if !told.Server.Ready {
		s.Reason = told.Server.Reason
		if s.Reason == "" {
			s.Reason = "it does not say why"
		}
	}
	for _, w := range told.Server.Warnings {
		s.Warnings = append(s.Warnings, w.Topic+": "+w.Text)
	}
	for _, task := range told.Server.Tasks {
		if task.Late {
			s.Late = append(s.Late, task.Name)
		}
	}
	for _, part := range told.Server.Parts {
		if !part.Up {
			s.Down = append(s.Down, cmp.Or(partNames[part.Name], part.Name))
		}
	}
	for _, n := range told.Nodes {
		if n.Alive {
			s.Versions = append(s.Versions, n.Version)
		}
	}
	if !told.Server.CertificateEndsTime.IsZero() {
		s.CertificateEnds = told.Server.CertificateEndsTime
	}
}
