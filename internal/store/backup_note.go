package store

import (
	"context"
	"encoding/json"
	"time"
)

// BackupNote says of the backups of a store what monitoring wants to know. The backup
// itself holds the note of the one before.
type BackupNote struct {
	Succeeded time.Time     `json:"succeeded"` // when the last one that is whole was begun; zero: none
	Took      time.Duration `json:"took"`
	Bytes     int64         `json:"bytes"`
	Lost      int           `json:"lost"`   // how many attachments that one lacks, because they are not where they should be
	Failed    time.Time     `json:"failed"` // when the last one that failed was begun; zero: none
	Asked     time.Time     `json:"asked"`  // when a server was first to see that there are some; zero: not yet
}

// Due is when the next backup has to have begun, where none may be older than most. It is the zero
// time where no server was to see to it yet.
func (n *BackupNote) Due(most time.Duration) time.Time {
	last := n.Succeeded
	if last.IsZero() {
		last = n.Asked
	}
	if last.IsZero() {
		return last
	}
	return last.Add(most)
}

// AskBackups notes that a server was to see that there are backups, the first time that it is.
func (s *Store) AskBackups(ctx context.Context, now time.Time) error {
	return s.changeBackupNote(ctx, func(note *BackupNote) (changed bool) {
		if changed = note.Asked.IsZero(); changed {
			note.Asked = now
		}
		return changed
	})
}

// NoteBackup notes a backup that is finished, and how many attachments it lacks.
func (s *Store) NoteBackup(ctx context.Context, begun time.Time, took time.Duration, bytes int64, lost int) error {
	return s.changeBackupNote(ctx, func(note *BackupNote) bool {
		note.Succeeded, note.Took, note.Bytes, note.Lost = begun, took, bytes, lost
		return true
	})
}

// NoteFailedBackup notes a backup that was not finished.
func (s *Store) NoteFailedBackup(ctx context.Context, begun time.Time) error {
	return s.changeBackupNote(ctx, func(note *BackupNote) bool {
		note.Failed = begun
		return true
	})
}

// changeBackupNote changes what was noted, where change reports that it did.
func (s *Store) changeBackupNote(ctx context.Context, change func(*BackupNote) bool) error {
	return s.Update(ctx, func(tx *Tx) error {
		note, err := tx.LastBackup()
		if err != nil || !change(&note) {
			return err
		}
		text, err := json.Marshal(note)
		if err != nil {
			return err
		}
		return tx.putMeta(metaBackup, string(text))
	})
}

// LastBackup returns what was noted.
func (tx *Tx) LastBackup() (note BackupNote, err error) {
	text, err := tx.meta(metaBackup)
	if err != nil || text == "" {
		return note, err
	}
	err = json.Unmarshal([]byte(text), &note)
	return note, err
}
