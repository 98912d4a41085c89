package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/auditlog"
)

// batch is how many lines one transaction removes, and one reading loads.
const batch = 1000

// Sign makes a checkpoint of each chain that has grown since its last one, and
// follows from it: a past that was rewritten is never signed. What does not follow
// is a *Fault, and the other chains are signed all the same.
func Sign(ctx context.Context, kept *store.Store, key *Key, now time.Time) error {
	heads, err := store.Read(ctx, kept, auditlog.UnsignedHeads)
	if err != nil {
		return err
	}
	var faults []error
	for _, h := range heads {
		if err := follows(ctx, kept, key, h); err != nil {
			if fault := new(Fault); !errors.As(err, &fault) {
				return err
			}
			faults = append(faults, fmt.Errorf("the audit log was changed: %w", err))
			continue
		}
		note, err := key.Sign(Checkpoint{Chain: h.Chain, Number: h.Number, Hash: h.Hash, Time: now})
		if err != nil {
			return err
		}
		err = kept.Update(ctx, func(tx *store.Tx) error {
			return auditlog.PutCheckpoint(tx, h.Chain, false, auditlog.Checkpoint{Number: h.Number, Note: note})
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

// follows checks that what a chain has grown by is tied to what was signed last.
func follows(ctx context.Context, kept *store.Store, key *Key, head auditlog.Head) error {
	var walk *Chain
	at := int64(0)
	for {
		var rows []auditlog.Row
		err := kept.View(ctx, func(tx *store.Tx) (err error) {
			if walk == nil {
				if walk, at, err = resumeChain(tx, key, head.Chain); err != nil {
					return err
				}
			}
			rows, err = auditlog.Entries(tx, auditlog.Query{Chain: head.Chain, After: at, Before: head.Number + 1}, batch)
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
		if len(rows) < batch || at == head.Number {
			return walk.End(head.Number, head.Hash)
		}
	}
}

// resumeChain begins behind what is signed of a chain: its newest checkpoint, or
// where retention has removed all up to that one, the checkpoint of what was removed.
func resumeChain(tx *store.Tx, key *Key, chain model.OrganizationID) (*Chain, int64, error) {
	var signed *Checkpoint
	for _, oldest := range []bool{true, false} {
		stored, err := auditlog.CheckpointOf(tx, chain, oldest)
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
		walk, err := NewChain(chain, nil)
		return walk, 0, err
	}
	signed.Oldest = true // the lines up to it are passed over
	walk, err := NewChain(chain, signed)
	return walk, signed.Number, err
}

// openCheckpoint reads a chain's own checkpoint, which has to be of the place that it
// is stored for.
func openCheckpoint(key *Key, chain model.OrganizationID, c auditlog.Checkpoint, oldest bool) (Checkpoint, error) {
	opened, err := key.Open(c.Note)
	switch {
	case err != nil:
		return opened, &Fault{Chain: chain, Number: c.Number, Reason: err.Error()}
	case opened.Number != c.Number || opened.Oldest != oldest || opened.Chain != chain:
		return opened, &Fault{Chain: chain, Number: c.Number, Reason: "its checkpoint is of another entry"}
	}
	return opened, nil
}
