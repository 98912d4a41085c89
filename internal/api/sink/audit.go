package sink

import (
	"strconv"

	"signet/internal/api/wire"
	"signet/internal/store/auditlog"
)

// eventAudit is the kind of event that a line of the audit log is on a stream.
const eventAudit = "audit"

// Audit writes lines of the audit log as unnamed server-sent events.
type Audit struct{ Events }

// NewAudit makes a sink of lines of the audit log.
func NewAudit(view wire.View, out Output) *Audit { return &Audit{Events{view: view, out: out}} }

// Line adds one.
func (s *Audit) Line(line *auditlog.Row) error {
	text, err := wire.Marshal(wire.ShownAuditLine(&line.AuditEntry, line.Renamed(), line.Hash))
	if err != nil {
		return err
	}
	id := strconv.FormatInt(line.Number, 10)
	b := s.begin()
	b.WriteString("id: " + id + `
data: {"event_id":"` + id + `","event":{"` + s.view.Namespace + ":iq:" + eventAudit + `":`)
	b.Write(text)
	b.WriteString("}}\n\n")
	return s.added()
}
