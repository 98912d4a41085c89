package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// Term counts how often a standby has taken over from the server before it, in the whole history of
// the installation. Of two servers that both hold its data, that with the higher term is the first.
func (s *Store) Term(ctx context.Context) (uint64, error) {
	return Read(ctx, s, (*Tx).term)
}

// TermOf is the term of a store that is only read.
func TermOf(ctx context.Context, source Source) (term uint64, err error) {
	err = read(ctx, source, func(tx *Tx) error {
		term, err = tx.term()
		return err
	})
	return term, err
}

func (tx *Tx) term() (uint64, error) {
	text, err := tx.meta(metaTerm)
	if err != nil || text == "" {
		return 0, err
	}
	term, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the term: %w", err)
	}
	return term, nil
}

// BeginTerm begins a term, and with it a new history of event positions under another name, as
// ChangeEpoch does: what the server before confirmed last may be missing. note records it in the
// same transaction. A term that is not higher than the last one is refused.
func (s *Store) BeginTerm(ctx context.Context, term uint64, epoch string, note func(*Tx) error) error {
	err := s.Update(ctx, func(tx *Tx) error {
		last, err := tx.term()
		if err != nil {
			return err
		}
		if term <= last {
			return fmt.Errorf("term %d cannot follow term %d", term, last)
		}
		if err := tx.noteEpochs(); err != nil {
			return err
		}
		return errors.Join(tx.putMeta(metaTerm, strconv.FormatUint(term, 10)), tx.putMeta(MetaEpoch, epoch),
			tx.putMeta(metaRestored, due), note(tx))
	})
	if err == nil {
		s.epoch = epoch
	}
	return err
}
