// Package escalation keeps how messages are sent on while nobody has heard them, and the policies by which
// organizations have that done.
//
// It owns escalations, escalation_targets and escalation_policies. What a message itself has of its
// escalation, package store keeps with it. It does not know who may escalate what to whom, nor what a step
// sends (package service).
package escalation

import (
	"encoding/binary"
	"errors"
	"time"

	"signet/internal/model"
	"signet/internal/store"
)

// Insert adds an escalation, which is open, and notes the job of its first step.
func Insert(tx *store.Tx, e *model.Escalation) error {
	number := tx.Existing(e.Organization)
	if err := tx.Post(`INSERT INTO escalations (organization_number, message, until, state, ended, done)
		VALUES (?, ?, ?, 0, 0, 0)`, number, e.Message, int(e.Until)); err != nil {
		return err
	}
	for i := range e.Steps {
		step := &e.Steps[i]
		for _, to := range step.To {
			if err := tx.Post(`INSERT INTO escalation_targets (organization_number, message, step, entity, is_group, minutes,
				done, sent) VALUES (?, ?, ?, ?, ?, ?, 0, ?)`, number, e.Message, step.Number, to.Entity, to.Group, step.After,
				store.Optional(model.MessageID{})); err != nil {
				return err
			}
		}
	}
	subject, err := subjectOf(tx, e.Organization, e.Message)
	if err != nil {
		return err
	}
	_, due := e.Next()
	return tx.NoteJob(&store.Job{Kind: store.Escalate, Subject: subject, Due: due, Noted: e.Sent})
}

// subjectSize is that of the subject of a job: an organization's number, and a message.
const subjectSize = 8 + 16

// subjectOf names the escalation of a message for a job. It names no organization by its token, which an
// erasure would have to find.
func subjectOf(tx *store.Tx, organization model.OrganizationID, message model.MessageID) ([]byte, error) {
	number, ok := tx.Existing(organization).(int64)
	if !ok {
		return nil, errors.New("the organization has no number")
	}
	return append(binary.BigEndian.AppendUint64(nil, uint64(number)), message[:]...), nil
}

// Subject reads which message's escalation a job is about.
func Subject(tx *store.Tx, subject []byte) (key store.MessageKey, err error) {
	if len(subject) != subjectSize {
		return key, errors.New("the subject is of another kind of job")
	}
	copy(key.ID[:], subject[8:])
	number := int64(binary.BigEndian.Uint64(subject))
	return key, tx.NameOrganizations([]int64{number}, func(int) *model.OrganizationID { return &key.Organization })
}

// Of returns the escalation of a message, without what the message itself says of it: its sender, and when it
// was sent. One of which a message is there is there too.
func Of(tx *store.Tx, organization model.OrganizationID, message model.MessageID) (e model.Escalation, found bool,
	err error) {
	e = model.Escalation{Message: message, Organization: organization}
	var until, state int
	var ended int64
	found, err = tx.One(`SELECT until, state, ended, done FROM escalations WHERE organization_number = ? AND message = ?`,
		[]any{tx.Numbered(organization), message}, &until, &state, &ended, &e.Done)
	if err != nil || !found {
		return e, found, err
	}
	e.Until, e.State, e.Ended = model.Status(until), model.EscalationState(state), store.FromMillis(ended)
	err = tx.Query(`SELECT step, entity, is_group, minutes, done, sent FROM escalation_targets
		WHERE organization_number = ? AND message = ? ORDER BY step, entity`,
		[]any{tx.Numbered(organization), message}, func(row store.Row) error {
			var step model.EscalationStep
			var to model.EscalationTarget
			var done int64
			var sent []byte
			if err := row.Scan(&step.Number, &to.Entity, &to.Group, &step.After, &done, &sent); err != nil {
				return err
			}
			copy(to.Sent[:], sent)
			step.Done = store.FromMillis(done)
			if n := len(e.Steps); n == 0 || e.Steps[n-1].Number != step.Number {
				e.Steps = append(e.Steps, step)
			}
			last := &e.Steps[len(e.Steps)-1]
			last.To = append(last.To, to)
			return nil
		})
	return e, true, err
}

// End ends an escalation that is open.
func End(tx *store.Tx, organization model.OrganizationID, message model.MessageID, state model.EscalationState,
	now time.Time) error {
	return tx.Post(`UPDATE escalations SET state = ?, ended = ? WHERE organization_number = ? AND message = ? AND state = 0`,
		int(state), store.Millis(now), tx.Numbered(organization), message)
}

// EndByStatus ends the open escalation that a message belongs to, or that sent it on, where a copy which
// reached a status ends that.
func EndByStatus(tx *store.Tx, m *store.MessageRow, status model.Status, now time.Time) error {
	return tx.Post(`UPDATE escalations SET state = ?, ended = ? WHERE organization_number = ? AND message = ?
		AND state = 0 AND until <= ?`, int(model.EscalationEnd(status)), store.Millis(now), tx.Numbered(m.Organization),
		m.Escalation.Message, int(status))
}

// NoteStep notes that a step was done, and what its targets got.
func NoteStep(tx *store.Tx, e *model.Escalation, step *model.EscalationStep) error {
	number := tx.Existing(e.Organization)
	if err := tx.Post(`UPDATE escalations SET done = ? WHERE organization_number = ? AND message = ?`, step.Number, number,
		e.Message); err != nil {
		return err
	}
	for _, to := range step.To {
		if err := tx.Post(`UPDATE escalation_targets SET done = ?, sent = ? WHERE organization_number = ? AND message = ?
			AND step = ? AND entity = ?`, store.Millis(step.Done), store.Optional(to.Sent), number, e.Message, step.Number,
			to.Entity); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes the escalation of a message, which goes.
func Delete(tx *store.Tx, organization model.OrganizationID, message model.MessageID) error {
	for _, table := range []string{"escalations", "escalation_targets"} {
		if err := tx.Post(`DELETE FROM `+table+` WHERE organization_number = ? AND message = ?`, tx.Numbered(organization),
			message); err != nil {
			return err
		}
	}
	return nil
}

// Asked is a row that names an account as whom a step asks.
type Asked struct {
	number  int64
	message model.MessageID
	step    int
}

// Naming returns up to limit rows that name an account as a target.
func Naming(tx *store.Tx, account model.AccountID, limit int) ([]Asked, error) {
	return store.List(tx, `SELECT organization_number, message, step FROM escalation_targets WHERE entity = ? LIMIT ? + 0`,
		[]any{account, limit}, func(a *Asked, row store.Row) error { return row.Scan(&a.number, &a.message, &a.step) })
}

// Forget removes an account from steps.
func Forget(tx *store.Tx, account model.AccountID, found []Asked) error {
	for _, a := range found {
		if err := tx.Post(`DELETE FROM escalation_targets WHERE organization_number = ? AND message = ? AND step = ?
			AND entity = ?`, a.number, a.message, a.step, account); err != nil {
			return err
		}
	}
	return nil
}
