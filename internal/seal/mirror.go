package seal

import (
	"context"
	"errors"
	"slices"
)

// Encode returns contents in the form of a ring's file, in which they go to another machine. The keys
// are wrapped by the master key.
func (c *Contents) Encode() []byte { return formatFile(c) }

// ParseContents reads what Encode returned.
func ParseContents(text []byte) (*Contents, error) {
	c, whole, err := parseFile(text)
	if err == nil && whole != len(text) {
		err = errors.New("the key ring is cut off")
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Keeping returns contents with the keys besides that they held before and do not hold any more, and
// how many these are.
func (c *Contents) Keeping(before *Contents) (*Contents, int) {
	if before == nil {
		return c, 0
	}
	have := idsOf(c.Records)
	var kept []Record
	for _, r := range before.Records {
		if !have[r.ID] {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return c, 0
	}
	all := *c
	all.Records = slices.Concat(c.Records, kept)
	return &all, len(kept)
}

// Mirror makes what a storage holds these contents, whatever it held. Keys that they lack cannot be
// found in it afterwards. It is for the copy of a standby, whose ring is nobody else's.
func Mirror(ctx context.Context, to Storage, c *Contents) error {
	there, _, err := to.Load(ctx, true)
	switch {
	case err != nil:
		return err
	case there == nil:
		return to.Replace(ctx, c)
	case there.ID == c.ID && there.same(c):
		return nil
	}
	return to.Rewrap(ctx, func(there *Contents) error {
		*there = *c
		return nil
	})
}
