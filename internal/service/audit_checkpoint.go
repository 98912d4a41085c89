package service

import (
	"context"
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
	if err := SignAudit(ctx, s.store, s.auditKey, now); err != nil {
		return err
	}
	s.signedAt.Store(now.UnixMilli())
	return nil
}

// SignAudit makes a checkpoint of each chain that has grown since its last one.
func SignAudit(ctx context.Context, kept *store.Store, key *audit.Key, now time.Time) error {
	var heads []store.AuditHead
	err := kept.View(ctx, func(tx *store.Tx) (err error) {
		heads, err = tx.UnsignedAuditHeads()
		return err
	})
	if err != nil || len(heads) == 0 {
		return err
	}
	notes := make([]string, len(heads))
	for i, h := range heads {
		if notes[i], err = key.Sign(audit.Checkpoint{Chain: h.Chain, Number: h.Number, Hash: h.Hash, Time: now}); err != nil {
			return err
		}
	}
	return kept.Update(ctx, func(tx *store.Tx) error {
		for i, h := range heads {
			if err := tx.PutAuditCheckpoint(h.Chain, false, store.AuditCheckpoint{Number: h.Number, Note: notes[i]}); err != nil {
				return err
			}
		}
		return nil
	})
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
	open := func(c store.AuditCheckpoint, oldest bool) (audit.Checkpoint, error) {
		opened, err := key.Open(c.Note)
		switch {
		case err != nil:
			return opened, &audit.Fault{Chain: chain, Number: c.Number, Reason: err.Error()}
		case opened.Number != c.Number || opened.Oldest != oldest:
			return opened, &audit.Fault{Chain: chain, Number: c.Number, Reason: "its checkpoint is of another entry"}
		}
		return opened, nil
	}
	var expected []audit.Checkpoint
	for _, c := range elsewhere {
		if c.Chain == chain && !c.Oldest {
			expected = append(expected, c)
		}
	}
	if met.Number > 0 {
		c, err := open(met, false)
		if err != nil {
			return nil, err
		}
		expected = append(expected, c)
	}
	if removed.Number == 0 {
		return audit.NewChain(chain, nil, expected...)
	}
	c, err := open(removed, true)
	if err != nil {
		return nil, err
	}
	return audit.NewChain(chain, &c, expected...)
}
