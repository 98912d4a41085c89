package doctor

import (
	"time"

	"signet/internal/clock"
	"signet/internal/custody"
)

// clock compares the clock with what the store knows of the time.
func (e *examination) clock() {
	if e.facts == nil || e.facts.Clock == "" {
		return
	}
	state, err := clock.Parse(e.facts.Clock)
	if err != nil {
		e.find("store.unreadable", "%v", err)
		return
	}
	off := e.Now.Sub(state.Known)
	switch told := state.Known.Format(time.RFC3339); {
	case state.Departed():
		e.find("clock.doubt", "the clock says %s, and the time that is known is %s", e.Now.UTC().Format(time.RFC3339), told)
	case off < -clock.Tolerance:
		e.find("clock.behind", "the clock says %s, and %s has been already", e.Now.UTC().Format(time.RFC3339), told)
	case off > e.Config.Expiry.ClockJump && !e.running:
		e.find("clock.ahead", "the last server knew that it was %s, %v ago: the next start has the clock in doubt", told,
			off.Round(time.Hour))
	}
}

// offset looks by how much the database's clock differs from this machine's.
func (e *examination) offset(d time.Duration) {
	if d.Abs() > custody.MaxClockOffset {
		e.find("clock.offset", "the database's clock differs from this machine's by %v", d.Abs().Round(time.Millisecond))
	}
}

// backup looks at the last backups of the embedded store. Of a database PostgreSQL's own tools
// make them, which leave no word.
func (e *examination) backup() {
	if e.facts == nil || e.facts.Schema == 0 || e.Config.Database != "" {
		return
	}
	b := e.facts.Backup
	if b.Failed.After(b.Succeeded) {
		e.find("backup.failed", "the last backup, of %s, failed", b.Failed.UTC().Format(time.RFC3339))
	}
	if b.Lost > 0 {
		e.find("backup.lost", "the last backup lacks %d attachments, which are not where they should be", b.Lost)
	}
	if e.BackupAge <= 0 {
		return
	}
	switch age := e.Now.Sub(b.Succeeded); {
	case b.Succeeded.IsZero():
		e.find("backup.none", "there was never a backup of %s", e.Config.Data)
	case age > e.BackupAge:
		e.find("backup.old", "the last backup is of %s, older than %v", b.Succeeded.UTC().Format(time.RFC3339), e.BackupAge)
	}
}
