package audit

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// Verify checks all chains, or one, and returns how many lines it found right.
// What is wrong is a *Fault. Checkpoints that were kept elsewhere are looked
// for too: only these tell that the end of a chain was cut off together with its own.
func Verify(ctx context.Context, kept *store.Store, key *Key, elsewhere []Checkpoint) (lines int64, err error) {
	chains, err := store.Read(ctx, kept, auditlog.Chains)
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
		if err := wantNone(ctx, kept); err != nil {
			return lines, err
		}
	}
	for chain := range begun {
		if known[chain] {
			continue
		}
		// It may have begun since the chains were listed.
		there, err := store.Read(ctx, kept, func(tx *store.Tx) (bool, error) { return auditlog.HasChain(tx, chain) })
		if err != nil {
			return lines, err
		}
		if !there {
			return lines, &Fault{Chain: chain, Number: 1,
				Reason: "it is missing, with the whole chain, which the platform's chain knows of"}
		}
	}
	for _, c := range elsewhere {
		if !known[c.Chain] {
			return lines, &Fault{Chain: c.Chain, Number: c.Number,
				Reason: "it is missing, with the whole chain, and was signed"}
		}
	}
	return lines, nil
}

// wantNone is a *Fault for a store without the platform's chain that cannot be
// without: it begins with the operator, the first account of all.
func wantNone(ctx context.Context, kept *store.Store) error {
	begun, err := store.Read(ctx, kept, (*store.Tx).HasOperator)
	if err == nil && begun {
		err = &Fault{Number: 1, Reason: "it is missing, with the whole chain, and there are accounts, which it tells of"}
	}
	return err
}

// verifyChain checks one chain, and notes the beginnings of others that it tells of.
func verifyChain(
	ctx context.Context, kept *store.Store, key *Key, chain model.OrganizationID,
	elsewhere []Checkpoint, begun map[model.OrganizationID]int64,
) (lines int64, err error) {
	var head auditlog.Head
	var removed, met auditlog.Checkpoint
	var faults map[int64]*Fault // of the names of lines
	at := int64(0)
	read := func() (rows []auditlog.Row, err error) {
		err = kept.View(ctx, func(tx *store.Tx) error {
			heads, err := auditlog.Heads(tx)
			if err != nil {
				return err
			}
			head = auditlog.Head{Chain: chain}
			for _, h := range heads {
				if h.Chain == chain {
					head = h
				}
			}
			if removed, err = auditlog.CheckpointOf(tx, chain, true); err != nil {
				return err
			}
			if met, err = auditlog.CheckpointOf(tx, chain, false); err != nil {
				return err
			}
			if rows, err = auditlog.Entries(tx, auditlog.Query{Chain: chain, After: at}, batch); err != nil {
				return err
			}
			faults, err = faultsOfNames(tx, rows)
			return err
		})
		return rows, err
	}
	var walk *Chain
	for {
		rows, err := read()
		if err != nil {
			return lines, err
		}
		if walk == nil || removed.Number > at { // lines that were not read yet went since, as they were too old
			if walk, err = beginChain(key, chain, removed, met, elsewhere); err != nil {
				return lines, err
			}
			at = removed.Number
		}
		for i := range rows {
			if err := walk.Next(&rows[i].AuditEntry, rows[i].Hash); err != nil {
				return lines, err
			}
			if fault := faults[rows[i].Number]; fault != nil {
				return lines, fault
			}
			lines++
			at = rows[i].Number
			if rows[i].Action == model.ActionAuditBegin {
				begun[rows[i].Organization] = at
			}
		}
		if len(rows) < batch { // the head is of the same snapshot
			return lines, walk.End(head.Number, head.Hash)
		}
	}
}

// beginChain opens a chain's own checkpoints, whose signatures and numbers are
// checked too.
func beginChain(key *Key, chain model.OrganizationID, removed, met auditlog.Checkpoint,
	elsewhere []Checkpoint) (*Chain, error) {
	var expected []Checkpoint
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
		return NewChain(chain, nil, expected...)
	}
	c, err := openCheckpoint(key, chain, removed, true)
	if err != nil {
		return nil, err
	}
	return NewChain(chain, &c, expected...)
}
