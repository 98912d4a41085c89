package rota

import (
	"encoding/binary"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Turn is what a job to hand over is about, besides its group.
type Turn struct {
	Version int64     // of the rota; 0: of whichever there is, and the job is done once
	Planned time.Time // when somebody else may be on duty; zero: it is only looked at who is
}

// NoteHandOver has it looked at who is in a group by its rota; the due time zero is at once.
func NoteHandOver(tx *store.Tx, group model.GroupID, turn Turn, due time.Time) error {
	return tx.NoteJob(&store.Job{Kind: store.HandOver, Subject: group[:], State: turn.Encode(), Due: due})
}

// Encode is the stored form of a turn.
func (t Turn) Encode() []byte {
	state := binary.BigEndian.AppendUint64(nil, uint64(t.Version))
	return binary.BigEndian.AppendUint64(state, uint64(store.Millis(t.Planned)))
}

// TurnOf is what a job to hand over is about.
func TurnOf(j *store.Job) (group model.GroupID, t Turn) {
	copy(group[:], j.Subject)
	if len(j.State) == 16 {
		t.Version = int64(binary.BigEndian.Uint64(j.State))
		t.Planned = store.FromMillis(int64(binary.BigEndian.Uint64(j.State[8:])))
	}
	return group, t
}
