package export

import (
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

// Each passes each message to fn, first those that nobody can read any more.
func (h *HeldMessages) Each(ctx context.Context, fn func(*Held) error) error {
	for _, over := range []bool{true, false} {
		var after model.MessageID
		for {
			page, err := h.page(ctx, over, after)
			if err != nil {
				return err
			}
			for i := range page {
				if err := fn(&page[i]); err != nil {
					return err
				}
				after = page[i].ID
			}
			if len(page) == 0 {
				break
			}
		}
	}
	return nil
}

// page reads the next messages that are over, or that readers still see.
func (h *HeldMessages) page(ctx context.Context, over bool, after model.MessageID) (page []Held, err error) {
	var rows []store.MessageRow
	err = h.vault.Store.View(ctx, func(tx *store.Tx) (err error) {
		page = nil
		if over {
			rows, err = tx.HeldMessages(h.organization, after, messagePage)
		} else {
			rows, err = legalhold.MessagesIn(tx, h.organization, after, messagePage)
		}
		for i := 0; i < len(rows) && err == nil; i++ {
			m := Held{Message: rows[i].Message, Over: over}
			m.Statuses, err = heldStatuses(tx, &m)
			page = append(page, m)
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
