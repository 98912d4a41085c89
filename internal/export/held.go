package export

import (
	"bytes"
	"context"
	"errors"
	"time"

	"signet/internal/audit"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/legalhold"
)

// Held is a message that a legal hold keeps.
type Held struct {
	model.Message // its status is the least advanced of all, as its sender is shown it
	Statuses      []model.StatusRow
	Over          bool // nobody can read it any more
	Unreadable    bool // its key is gone, and with it the content
}

// HeldMessages are all messages of an organization under a legal hold.
type HeldMessages struct {
	vault        *content.Vault
	organization model.OrganizationID
}

// BeginHeld begins to read them, which leaves a line in the audit log. It is for the command line.
func BeginHeld(ctx context.Context, vault *content.Vault, now time.Time, id model.OrganizationID) (*HeldMessages,
	error) {
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionHoldExport}
	err := audit.RecordCommand(ctx, vault.Store, line, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, id)
		held, err := legalhold.Held(tx, id)
		if err == nil && !held {
			err = errors.New("the organization is under no legal hold")
		}
		return err
	})
	return &HeldMessages{vault, id}, err
}

// Each passes each message to fn, in the order of their identifiers.
func (h *HeldMessages) Each(ctx context.Context, fn func(*Held) error) error {
	var after model.MessageID
	for {
		page, err := h.page(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for i := range page {
			if err := fn(&page[i]); err != nil {
				return err
			}
			after = page[i].ID
		}
	}
}

// page reads the next messages. Those that are over and those that readers still see are read as they are
// at one moment, since a message that ends goes from these to those, and would be in neither.
func (h *HeldMessages) page(ctx context.Context, after model.MessageID) (page []Held, err error) {
	var rows []store.MessageRow
	err = h.vault.Store.View(ctx, func(tx *store.Tx) error {
		over, err := tx.HeldMessages(h.organization, after, messagePage)
		if err != nil {
			return err
		}
		seen, err := legalhold.MessagesIn(tx, h.organization, after, messagePage)
		page, rows = nil, nil
		for len(rows) < messagePage && len(over)+len(seen) > 0 && err == nil {
			from := &seen
			if len(seen) == 0 || len(over) > 0 && bytes.Compare(over[0].ID[:], seen[0].ID[:]) < 0 {
				from = &over
			}
			m := Held{Message: (*from)[0].Message, Over: from == &over}
			m.Statuses, err = heldStatuses(tx, &m)
			page, rows, *from = append(page, m), append(rows, (*from)[0]), (*from)[1:]
		}
		return err
	})
	for i := 0; i < len(page) && err == nil; i++ {
		page[i].Content, err = h.vault.OpenMessage(ctx, &rows[i])
		if page[i].Unreadable = content.Unreadable(err); page[i].Unreadable {
			err = nil
		}
	}
	return page, err
}

// heldStatuses reads how far a message got with whom, and sets its status. Those of a message that
// was recalled stay where they were until it ends.
func heldStatuses(tx *store.Tx, m *Held) (out []model.StatusRow, err error) {
	rows, err := tx.Deliveries([]model.OrganizationID{m.Organization}, m.ID)
	if err == nil && m.Over && len(rows) == 0 {
		rows, err = legalhold.Deliveries(tx, m.Organization, m.ID)
	}
	for i, row := range rows {
		out = append(out, model.StatusRow{Account: row.Account, Status: row.Status, Time: row.StatusTime})
		if i == 0 || row.Status < m.Status {
			m.Status = row.Status
		}
	}
	return out, err
}
