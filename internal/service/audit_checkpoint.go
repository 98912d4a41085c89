package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/audit"
	"signet/internal/model"
	"signet/internal/store"
)

const (
	// checkpointEvery is how often the ends of the chains are signed.
	checkpointEvery = time.Minute
	// auditBatch is how many lines one transaction removes, and one reading loads.
	auditBatch = 1000
)

// sweepAudit writes what was put together of refusals, and signs the ends of chains
// that have grown, once a minute.
func (s *Service) sweepAudit(ctx context.Context) error {
	if err := s.FlushRefusals(ctx, false); err != nil {
		return err
	}
	now := s.now()
	if age := now.Sub(time.UnixMilli(s.signedAt.Load())); s.auditKey == nil || age >= 0 && age < checkpointEvery {
		return nil
	}
	err := errors.Join(s.wantAuditGrown(ctx), SignAudit(ctx, s.store, s.auditKey, now))
	fault := new(audit.Fault)
	switch broken := errors.As(err, &fault); {
	case broken:
		s.auditBroken.Store(true)
		s.warnings.Set("audit", "the audit log was changed behind the server's back: run signet audit verify, which says where, and see docs/audit.md")
	case err == nil:
		s.auditBroken.Store(false)
		s.warnings.Clear("audit")
	default:
		return err
	}
	s.signedAt.Store(now.UnixMilli()) // what is wrong stays so, and is told by each signing
	return err
}

// AuditBroken reports whether the server found the audit log changed when it was to be
// signed last.
func (s *Service) AuditBroken() bool { return s.auditBroken.Load() }

// wantAuditGrown is an *audit.Fault where the platform's chain has become shorter since
// this server looked at it last: no line ever leaves its end.
func (s *Service) wantAuditGrown(ctx context.Context) error {
	var end int64
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		end, err = tx.AuditEnd("")
		return err
	})
	if err != nil {
		return err
	}
	if seen := s.auditSeen.Load(); end < seen {
		return &audit.Fault{Number: end + 1, Reason: fmt.Sprintf("it is missing: this server has seen entries up to %d", seen)}
	}
	s.auditSeen.Store(end)
	return nil
}

// SignAudit makes a checkpoint of each chain that has grown since its last one, and
// follows from it: a past that somebody rewrote is never signed. What does not follow
// is an *audit.Fault, and the other chains are signed all the same.
func SignAudit(ctx context.Context, kept *store.Store, key *audit.Key, now time.Time) error {
	var heads []store.AuditHead
	err := kept.View(ctx, func(tx *store.Tx) (err error) {
		heads, err = tx.UnsignedAuditHeads()
		return err
	})
	if err != nil {
		return err
	}
	var faults []error
	for _, h := range heads {
		if err := follows(ctx, kept, key, h); err != nil {
			if fault := new(audit.Fault); !errors.As(err, &fault) {
				return err
			}
			faults = append(faults, fmt.Errorf("the audit log was changed: %w", err))
			continue
		}
		note, err := key.Sign(audit.Checkpoint{Chain: h.Chain, Number: h.Number, Hash: h.Hash, Time: now})
		if err != nil {
			return err
		}
		err = kept.Update(ctx, func(tx *store.Tx) error {
			return tx.PutAuditCheckpoint(h.Chain, false, store.AuditCheckpoint{Number: h.Number, Note: note})
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

// AdoptAudit signs all checkpoints anew, with a key that was made because the one
// before is gone, and notes it in the platform's chain. It returns how many there were:
// none in a store that nothing was signed in. keep is part of the transaction.
func AdoptAudit(ctx context.Context, kept *store.Store, key *audit.Key, now time.Time, keep func(*store.Tx) error) (adopted int, err error) {
	type end struct {
		chain  model.OrganizationID
		oldest bool
		store.AuditCheckpoint
	}
	var ends []end
	err = kept.View(ctx, func(tx *store.Tx) error {
		ends = nil
		chains, err := tx.AuditChains()
		if err != nil {
			return err
		}
		for _, chain := range chains {
			for _, oldest := range []bool{true, false} {
				c, err := tx.AuditCheckpoint(chain, oldest)
				if err != nil {
					return err
				}
				if c.Number > 0 {
					ends = append(ends, end{chain, oldest, c})
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if len(ends) == 0 && wantNoAudit(ctx, kept) == nil { // at the first start
		return 0, kept.Update(ctx, keep)
	}
	for i := range ends {
		e := &ends[i]
		if e.Note, err = key.Adopt(e.Note, now); err != nil {
			return 0, &audit.Fault{Chain: e.chain, Number: e.Number, Reason: err.Error()}
		}
	}
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionAuditKey}
	return len(ends), RecordCommand(ctx, kept, line, func(tx *store.Tx, _ *model.AuditEntry) error {
		for _, e := range ends {
			if err := tx.PutAuditCheckpoint(e.chain, e.oldest, e.AuditCheckpoint); err != nil {
				return err
			}
		}
		return keep(tx)
	})
}

// follows checks that what a chain has grown by is tied to what was signed last.
func follows(ctx context.Context, kept *store.Store, key *audit.Key, head store.AuditHead) error {
	var walk *audit.Chain
	at := int64(0)
	for {
		var rows []store.AuditRow
		err := kept.View(ctx, func(tx *store.Tx) (err error) {
			if walk == nil {
				if walk, at, err = resumeChain(tx, key, head.Chain); err != nil {
					return err
				}
			}
			rows, err = tx.AuditEntries(store.AuditQuery{Chain: head.Chain, After: at, Before: head.Number + 1}, auditBatch)
			return err
		})
		if err != nil {
			return err
		}
		if at >= head.Number { // another server was faster
			return nil
		}
		for i := range rows {
			if err := walk.Next(&rows[i].AuditEntry, rows[i].Hash); err != nil {
				return err
			}
			at = rows[i].Number
		}
		if len(rows) < auditBatch || at == head.Number {
			return walk.End(head.Number, head.Hash)
		}
	}
}

// resumeChain begins behind what is signed of a chain: its newest checkpoint, or
// where all that this one knew of is old and gone, the one of what was removed.
func resumeChain(tx *store.Tx, key *audit.Key, chain model.OrganizationID) (*audit.Chain, int64, error) {
	var signed *audit.Checkpoint
	for _, oldest := range []bool{true, false} {
		stored, err := tx.AuditCheckpoint(chain, oldest)
		if err != nil {
			return nil, 0, err
		}
		if stored.Number == 0 || signed != nil && stored.Number <= signed.Number {
			continue
		}
		c, err := openCheckpoint(key, chain, stored, oldest)
		if err != nil {
			return nil, 0, err
		}
		signed = &c
	}
	if signed == nil {
		walk, err := audit.NewChain(chain, nil)
		return walk, 0, err
	}
	signed.Oldest = true // the lines up to it are passed over
	walk, err := audit.NewChain(chain, signed)
	return walk, signed.Number, err
}

// trimAudit removes lines past the retention, the oldest first. A signed checkpoint
// of the last one that went says where each chain begins since.
func (s *Service) trimAudit(ctx context.Context, now time.Time) error {
	if s.auditKey == nil || s.auditRetention == 0 {
		return nil
	}
	for {
		var last store.AuditHead
		var found bool
		err := s.store.View(ctx, func(tx *store.Tx) (err error) {
			last, found, err = tx.OldAudit(now.Add(-s.auditRetention), auditBatch)
			return err
		})
		if err != nil || !found {
			return err
		}
		note, err := s.auditKey.Sign(audit.Checkpoint{Chain: last.Chain, Oldest: true, Number: last.Number, Hash: last.Hash, Time: now})
		if err != nil {
			return err
		}
		err = s.store.Update(ctx, func(tx *store.Tx) error {
			if err := tx.PutAuditCheckpoint(last.Chain, true, store.AuditCheckpoint{Number: last.Number, Note: note}); err != nil {
				return err
			}
			return tx.DeleteAudit(last.Chain, last.Number)
		})
		if err != nil {
			return err
		}
	}
}

// VerifyAudit checks all chains, or one, and returns how many lines it found right.
// What is wrong is an *audit.Fault. Checkpoints that were kept elsewhere are looked
// for too: only these tell that the end of a chain was cut off together with its own.
func VerifyAudit(ctx context.Context, kept *store.Store, key *audit.Key, elsewhere []audit.Checkpoint) (lines int64, err error) {
	var chains []model.OrganizationID
	err = kept.View(ctx, func(tx *store.Tx) (err error) {
		chains, err = tx.AuditChains()
		return err
	})
	if err != nil {
		return 0, err
	}
	known := make(map[model.OrganizationID]bool, len(chains))
	begun := map[model.OrganizationID]int64{}
	for _, chain := range chains {
		known[chain] = true
		n, err := verifyChain(ctx, kept, key, chain, elsewhere, begun)
		lines += n
		if err != nil {
			return lines, err
		}
	}
	if !known[""] {
		if err := wantNoAudit(ctx, kept); err != nil {
			return lines, err
		}
	}
	for chain := range begun {
		if !known[chain] {
			return lines, &audit.Fault{Chain: chain, Number: 1, Reason: "it is missing, with the whole chain, which the platform's chain knows of"}
		}
	}
	for _, c := range elsewhere {
		if !known[c.Chain] {
			return lines, &audit.Fault{Chain: c.Chain, Number: c.Number, Reason: "it is missing, with the whole chain, and was signed"}
		}
	}
	return lines, nil
}

// wantNoAudit is an *audit.Fault for a store without the platform's chain that cannot be
// without: it begins with the operator, who is there before anybody else.
func wantNoAudit(ctx context.Context, kept *store.Store) error {
	var begun bool
	err := kept.View(ctx, func(tx *store.Tx) (err error) {
		begun, err = tx.HasOperator()
		return err
	})
	if err == nil && begun {
		err = &audit.Fault{Number: 1, Reason: "it is missing, with the whole chain, and there are accounts, which it tells of"}
	}
	return err
}

// verifyChain checks one chain, and notes the beginnings of others that it tells of.
func verifyChain(ctx context.Context, kept *store.Store, key *audit.Key, chain model.OrganizationID, elsewhere []audit.Checkpoint, begun map[model.OrganizationID]int64) (lines int64, err error) {
	var head store.AuditHead
	var removed, met store.AuditCheckpoint
	at := int64(0)
	read := func() (rows []store.AuditRow, err error) {
		err = kept.View(ctx, func(tx *store.Tx) error {
			heads, err := tx.AuditHeads()
			if err != nil {
				return err
			}
			head = store.AuditHead{Chain: chain}
			for _, h := range heads {
				if h.Chain == chain {
					head = h
				}
			}
			if removed, err = tx.AuditCheckpoint(chain, true); err != nil {
				return err
			}
			if met, err = tx.AuditCheckpoint(chain, false); err != nil {
				return err
			}
			rows, err = tx.AuditEntries(store.AuditQuery{Chain: chain, After: at}, auditBatch)
			return err
		})
		return rows, err
	}
	var walk *audit.Chain
	for {
		rows, err := read()
		if err != nil {
			return lines, err
		}
		if walk == nil {
			if walk, err = beginChain(key, chain, removed, met, elsewhere); err != nil {
				return lines, err
			}
		}
		for i := range rows {
			if err := walk.Next(&rows[i].AuditEntry, rows[i].Hash); err != nil {
				return lines, err
			}
			lines++
			at = rows[i].Number
			if rows[i].Action == model.ActionAuditBegin {
				begun[rows[i].Organization] = at
			}
		}
		if len(rows) < auditBatch { // the head is of the same snapshot
			return lines, walk.End(head.Number, head.Hash)
		}
	}
}

// beginChain opens a chain's own checkpoints, whose signatures and numbers are
// checked too.
func beginChain(key *audit.Key, chain model.OrganizationID, removed, met store.AuditCheckpoint, elsewhere []audit.Checkpoint) (*audit.Chain, error) {
	var expected []audit.Checkpoint
	for _, c := range elsewhere {
		if c.Chain == chain && !c.Oldest {
			expected = append(expected, c)
		}
	}
	if met.Number > 0 {
		c, err := openCheckpoint(key, chain, met, false)
		if err != nil {
			return nil, err
		}
		expected = append(expected, c)
	}
	if removed.Number == 0 {
		return audit.NewChain(chain, nil, expected...)
	}
	c, err := openCheckpoint(key, chain, removed, true)
	if err != nil {
		return nil, err
	}
	return audit.NewChain(chain, &c, expected...)
}

// openCheckpoint reads a chain's own checkpoint, which has to be of the place that it
// is stored for.
func openCheckpoint(key *audit.Key, chain model.OrganizationID, c store.AuditCheckpoint, oldest bool) (audit.Checkpoint, error) {
	opened, err := key.Open(c.Note)
	switch {
	case err != nil:
		return opened, &audit.Fault{Chain: chain, Number: c.Number, Reason: err.Error()}
	case opened.Number != c.Number || opened.Oldest != oldest || opened.Chain != chain:
		return opened, &audit.Fault{Chain: chain, Number: c.Number, Reason: "its checkpoint is of another entry"}
	}
	return opened, nil
}
