package audit

import (
	"bytes"
	"fmt"
	"time"

	"signet/internal/model"
)

// Fault is a place where a chain is not what it was.
type Fault struct {
	Chain  model.OrganizationID // empty: the platform's
	Number int64                // of the line where it shows
	Reason string
}

func (f *Fault) Error() string {
	chain := "the platform's chain"
	if f.Chain != "" {
		chain = "the chain of organization " + string(f.Chain)
	}
	return fmt.Sprintf("%s, entry %d: %s", chain, f.Number, f.Reason)
}

// Chain checks the lines of one chain, which it is given in their order.
type Chain struct {
	name        model.OrganizationID
	number      int64
	hash        []byte
	time        time.Time
	checkpoints []Checkpoint // of the newest end, which are still to be met
}

// NewChain begins at the first line, or after the last one that was removed, of
// which the checkpoint is given then. The other checkpoints are to be met on the way.
func NewChain(name model.OrganizationID, removed *Checkpoint, met ...Checkpoint) (*Chain, error) {
	c := &Chain{name: name}
	if removed != nil {
		if removed.Chain != name || !removed.Oldest {
			return nil, c.fault(removed.Number, "the checkpoint of what was removed belongs elsewhere")
		}
		c.number, c.hash = removed.Number, removed.Hash
	}
	for _, checkpoint := range met {
		if checkpoint.Chain != name {
			return nil, c.fault(checkpoint.Number, "a checkpoint belongs to another chain")
		}
		if checkpoint.Number > c.number {
			c.checkpoints = append(c.checkpoints, checkpoint)
		} else if checkpoint.Number == c.number && !bytes.Equal(checkpoint.Hash, c.hash) {
			return nil, c.fault(checkpoint.Number, "it is not the one that was signed")
		}
	}
	return c, nil
}

func (c *Chain) fault(number int64, reason string) error { return &Fault{c.name, number, reason} }

// Next checks the next line against its hash and the line before.
func (c *Chain) Next(e *model.AuditEntry, hash []byte) error {
	expected := c.number + 1
	switch {
	case e.Chain != c.name:
		return c.fault(expected, "it belongs to another chain")
	case e.Number > expected:
		return c.fault(expected, "it is missing")
	case e.Number < expected:
		return c.fault(expected, "its place holds one of another number")
	case !bytes.Equal(Hash(c.hash, e), hash):
		return c.fault(e.Number, "it, or what came before it, was changed")
	case e.Time.Before(c.time):
		return c.fault(e.Number, "it is earlier than the one before")
	}
	c.number, c.hash, c.time = e.Number, hash, e.Time.Time
	for _, checkpoint := range c.checkpoints {
		if checkpoint.Number == c.number && !bytes.Equal(checkpoint.Hash, hash) {
			return c.fault(e.Number, "it is not the one that was signed")
		}
	}
	return nil
}

// End checks that the chain ends where its head says, and not before a checkpoint.
func (c *Chain) End(number int64, hash []byte) error {
	if number != c.number || !bytes.Equal(hash, c.hash) {
		return c.fault(max(number, c.number), fmt.Sprintf("the chain ends at %d, and its head says %d", c.number, number))
	}
	for _, checkpoint := range c.checkpoints {
		if checkpoint.Number > c.number {
			return c.fault(c.number+1, fmt.Sprintf("it is missing: entries up to %d were signed", checkpoint.Number))
		}
	}
	return nil
}
