package store

import (
	"encoding/binary"

	"signet/internal/model"
)

// A thread is what a conversation's messages have in common, so that one index has each of
// them once, in their order, whoever has copies. It is made of the tokens of the two
// accounts, or of the group's: nothing is allocated, and a send asks for nothing. Two
// conversations may get the same one, though hardly ever do: who reads a thread looks at
// whom its messages are from and to.

// ThreadOf is the thread of a message from an account to an entity.
func ThreadOf(sender, recipient model.EntityID, group bool) int64 {
	sum := randomPart(recipient)
	if !group { // the same in both directions, and not the same for all who write to themselves
		sum += randomPart(sender)
	}
	return int64(sum & (1<<48 - 1)) // SQLite stores 48 bits in 6 bytes
}

// randomPart are the last bytes of a UUID of version 7, which are random.
func randomPart(id model.EntityID) uint64 { return binary.BigEndian.Uint64(id[8:]) }
