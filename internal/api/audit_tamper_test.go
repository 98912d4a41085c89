package api_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
	"signet/internal/testenv"
)

// auditTables are what somebody who may write to the database can change.
var auditTables = []string{"audit_entries", "audit_chains", "audit_checkpoints"}

// mustRun carries out statements on the database itself.
func (s *server) mustRun(t rapid.TB, statements ...string) {
	t.Helper()
	err := s.engine.Update(s.t.Context(), func(session store.Session) error {
		for _, statement := range statements {
			if _, err := session.Exec(statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// mustSaveAudit keeps the audit log, and returns what puts it back.
func (s *server) mustSaveAudit() func(rapid.TB) {
	var restore []string
	for _, table := range auditTables {
		s.mustRun(s.t, "CREATE TABLE saved_"+table+" AS SELECT * FROM "+table)
		restore = append(restore, "DELETE FROM "+table, "INSERT INTO "+table+" SELECT * FROM saved_"+table)
	}
	return func(t rapid.TB) { s.mustRun(t, restore...) }
}

// startTampered makes a log of three chains, all of it signed.
func startTampered(t *testing.T) (s *server, chains []model.OrganizationID, lengths map[model.OrganizationID]int64) {
	t.Helper()
	s = start(t)
	for _, name := range []string{"One", "Two"} {
		org := s.mustCreateOrganization(name)
		s.mustCreateAll(org, "a"+org[:4], "b"+org[:4], "c"+org[:4])
		chains = append(chains, model.OrganizationID(org))
	}
	chains = append(chains, "")
	s.anyone().get("/v2/user").want(401)
	s.mustSweep() // signs
	lengths = map[model.OrganizationID]int64{}
	for _, e := range s.auditLines() {
		lengths[e.Chain] = e.Number
	}
	s.mustVerify()
	return s, chains, lengths
}

func (s *server) wantTampered(t rapid.TB, what string, elsewhere ...audit.Checkpoint) {
	t.Helper()
	_, err := audit.Verify(s.t.Context(), s.store, s.audit, elsewhere)
	if fault := new(audit.Fault); !errors.As(err, &fault) {
		t.Errorf("%s: the check says %v", what, err)
	}
}

// Whatever single row is changed, removed, moved or put in: the check tells, also
// after the server went on with what it found, and signed what it could.
func TestAuditTellsEveryTampering(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	s, chains, lengths := startTampered(t)
	restore, forger := s.mustSaveAudit(), mustAuditKey(t)
	columns := map[string]string{
		"at": "at + 1", "action": "action || 'x'", "outcome": "'ok2'", "times": "times + 1", "api_key": "api_key || 'x'",
		"address": "'192.0.2.1'",
		"request": "request || 'x'", "organization": "organization || 'x'", "on_key": "on_key || 'x'",
		"detail": "detail || 'x'",
	}
	names := []string{"at", "action", "outcome", "times", "api_key", "address", "request", "organization", "on_key",
		"detail"}
	rapid.Check(t, func(t *rapid.T) {
		defer restore(t)
		chain := rapid.SampledFrom(chains).Draw(t, "chain")
		last := lengths[chain]
		n := rapid.Int64Range(1, last).Draw(t, "number")
		row := fmt.Sprintf(" WHERE chain = '%s' AND number = %d", chain, n)
		what := rapid.SampledFrom([]string{"change", "rehash", "remove", "swap", "insert", "copy", "renumber", "truncate",
			"head", "checkpoint", "exchange", "forge", "move"}).Draw(t, "what")
		switch what {
		case "change":
			column := rapid.SampledFrom(names).Draw(t, "column")
			s.mustRun(t, "UPDATE audit_entries SET "+column+" = "+columns[column]+row)
		case "rehash": // the line and its hash, as somebody would who knows how
			s.mustRehash(t, chain, n)
		case "remove":
			s.mustRun(t, "DELETE FROM audit_entries"+row)
		case "swap":
			other := n%last + 1
			s.mustRun(t, "UPDATE audit_entries SET number = -1"+row,
				fmt.Sprintf("UPDATE audit_entries SET number = %d WHERE chain = '%s' AND number = %d", n, chain, other),
				fmt.Sprintf("UPDATE audit_entries SET number = %d WHERE chain = '%s' AND number = -1", other, chain))
		case "insert", "copy":
			shift := fmt.Sprintf(" WHERE chain = '%s' AND number ", chain)
			s.mustRun(t, "CREATE TABLE one AS SELECT * FROM audit_entries"+row,
				fmt.Sprintf("UPDATE audit_entries SET number = -number - 1"+shift+">= %d", n),
				"UPDATE audit_entries SET number = -number"+shift+"< 0",
				"INSERT INTO audit_entries SELECT * FROM one", "DROP TABLE one",
				fmt.Sprintf("UPDATE audit_chains SET number = number + 1 WHERE chain = '%s'", chain))
		case "renumber":
			s.mustRun(t, "UPDATE audit_entries SET number = number + 1000"+row)
		case "truncate": // with the head put right
			s.mustRun(t, fmt.Sprintf("DELETE FROM audit_entries WHERE chain = '%s' AND number >= %d", chain, n))
			if n > 1 {
				s.mustRun(
					t, fmt.Sprintf(
						`UPDATE audit_chains SET number = %d, hash = (SELECT hash FROM audit_entries e WHERE e.chain = '%s' AND e.number = %d)
					WHERE chain = '%s'`, n-1, chain, n-1, chain))
			}
		case "head":
			s.mustRun(t, fmt.Sprintf("DELETE FROM audit_chains WHERE chain = '%s'", chain))
		case "checkpoint":
			s.mustRun(t, fmt.Sprintf("UPDATE audit_checkpoints SET note = replace(note, 'newest', 'oldest') WHERE chain = '%s'",
				chain))
		case "exchange": // for the one of another chain
			s.mustRun(t, fmt.Sprintf("UPDATE audit_checkpoints SET note = (SELECT o.note FROM audit_checkpoints o WHERE "+
				"o.chain <> '%s' LIMIT 1) WHERE chain = '%s'", chain, chain))
		case "forge": // by somebody with a key of another server, who cuts off the end
			note, err := forger.Sign(audit.Checkpoint{Chain: chain, Number: last, Hash: make([]byte, 32), Time: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			s.mustRun(t, fmt.Sprintf("UPDATE audit_checkpoints SET note = '%s' WHERE chain = '%s'", note, chain))
		case "move":
			s.mustRun(t, "UPDATE audit_entries SET chain = 'elsewhere'"+row)
		}
		grown := rapid.IntRange(0, 3).Draw(t, "grown")
		for range grown {
			s.grow(chain)
		}
		s.wantTampered(t, fmt.Sprintf("%s of entry %d of %q, which then grew by %d", what, n, chain, grown))
	})
	s.mustVerify()
}

// Who rewrites the past with all its hashes has nobody sign it afterwards: neither the
// server, however much the chain grows, nor an export. The other chains are signed on.
func TestAuditPastThatWasRewrittenIsNeverSigned(t *testing.T) {
	t.Parallel()
	s, chains, lengths := startTampered(t)
	changed, sound := chains[0], chains[1]
	checkpoint := func(chain model.OrganizationID) (number int64) {
		t.Helper()
		err := s.store.View(t.Context(), func(tx *store.Tx) error {
			c, err := auditlog.CheckpointOf(tx, chain, false)
			number = c.Number
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	s.mustRehash(t, changed, 2)
	for i := range 3 {
		s.clock.Advance(2 * time.Minute)
		for _, chain := range []model.OrganizationID{changed, sound} {
			s.mustCreate(string(chain), fmt.Sprint("grows", i, string(chain[:4])))
		}
		err := s.sweeper.Sweep(t.Context())
		if fault := new(audit.Fault); !errors.As(err, &fault) || fault.Chain != changed ||
			fault.Number != lengths[changed]+1 {
			t.Errorf("signing says %v, want what is wrong with entry %d of %s", err, lengths[changed]+1, changed)
		}
		if got := checkpoint(changed); got != lengths[changed] {
			t.Errorf("what was rewritten is signed up to entry %d, want %d as before", got, lengths[changed])
		}
		if got := checkpoint(sound); got <= lengths[sound] {
			t.Errorf("the chain that nobody touched is signed up to entry %d of more than %d", got, lengths[sound])
		}
	}
	s.wantTampered(t, "a past that was rewritten")
}

// grow adds a line to a chain and signs what can be signed, as a server does that does
// not know that somebody was at its database. Either may fail.
func (s *server) grow(chain model.OrganizationID) {
	ctx, now := s.t.Context(), s.clock.Now()
	line := model.AuditEntry{Time: model.AuditTime{Time: now}, Action: model.ActionKeyLimit, Chain: chain}
	_ = audit.RecordCommand(ctx, s.store, line, func(*store.Tx, *model.AuditEntry) error { return nil })
	_ = audit.Sign(ctx, s.store, s.audit, now)
}

// mustRehash changes a line, and all hashes from it on, with the head.
func (s *server) mustRehash(t rapid.TB, chain model.OrganizationID, n int64) {
	t.Helper()
	var rows []auditlog.Row
	err := s.store.View(s.t.Context(), func(tx *store.Tx) (err error) {
		rows, err = auditlog.Entries(tx, auditlog.Query{Chain: chain}, 1000)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.engine.Update(s.t.Context(), func(session store.Session) error {
		var hash []byte
		for i := range rows {
			e := &rows[i]
			if e.Number == n {
				e.Detail += "x"
			}
			hash = audit.Hash(hash, &e.AuditEntry)
			if _, err := session.Exec(`UPDATE audit_entries SET detail = ?, hash = ? WHERE chain = ? AND number = ?`, e.Detail,
				hash, chain, e.Number); err != nil {
				return err
			}
		}
		_, err := session.Exec(`UPDATE audit_chains SET hash = ? WHERE chain = ?`, hash, chain)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Who cuts off the end of a chain together with what says where it ended, or takes a
// whole chain away, is found out by a checkpoint that is kept elsewhere, and by the
// platform's chain.
func TestAuditTellsWhatIsCutOffWithItsCheckpoints(t *testing.T) {
	t.Parallel()
	s, chains, lengths := startTampered(t)
	chain := chains[0]
	var kept audit.Checkpoint
	err := s.store.View(t.Context(), func(tx *store.Tx) error {
		c, err := auditlog.CheckpointOf(tx, chain, false)
		if err != nil {
			return err
		}
		kept, err = s.audit.Open(c.Note)
		return err
	})
	if err != nil || kept.Number != lengths[chain] {
		t.Fatalf("the checkpoint is %+v, %v", kept, err)
	}
	s.mustVerify(kept)
	restore := s.mustSaveAudit()
	last := kept.Number
	s.mustRun(t, fmt.Sprintf("DELETE FROM audit_entries WHERE chain = '%s' AND number = %d", chain, last),
		fmt.Sprintf("DELETE FROM audit_checkpoints WHERE chain = '%s'", chain),
		fmt.Sprintf(
			`UPDATE audit_chains SET number = %d, hash = (SELECT hash FROM audit_entries e WHERE e.chain = '%s' AND e.number = %d) WHERE chain = '%s'`,
			last-1, chain, last-1, chain))
	s.wantTampered(t, "the end cut off", kept)
	restore(t)
	for _, table := range auditTables {
		s.mustRun(t, fmt.Sprintf("DELETE FROM %s WHERE chain = '%s'", table, chain))
	}
	s.wantTampered(t, "a whole chain taken away")
	restore(t)
	s.mustVerify(kept)
}

func TestAuditCheckpointOfAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	s, _, _ := startTampered(t)
	other := mustAuditKey(t)
	note, err := other.Sign(audit.Checkpoint{Number: 1, Hash: make([]byte, 32), Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.audit.Open(note); err == nil {
		t.Error("a checkpoint that another key signed is believed")
	}
}
