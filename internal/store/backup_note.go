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
	Failed    time.Time     `json:"failed"` // when the last one that failed was begun; zero: none
}

// NoteBackup notes how a backup ended.
func (s *Store) NoteBackup(ctx context.Context, begun time.Time, took time.Duration, bytes int64, failed bool) error {
	return s.Update(ctx, func(tx *Tx) error {
		note, err := tx.LastBackup()
		if err != nil {
			return err
		}
		if failed {
			note.Failed = begun
		} else {
			note.Succeeded, note.Took, note.Bytes = begun, took, bytes
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
