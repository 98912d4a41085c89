package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// heldMessage is a message as an export of what is held shows it.
type heldMessage struct {
	ID           model.MessageID      `json:"message_id"`
	Organization model.OrganizationID `json:"organization"`
	Sender       model.AccountID      `json:"sender_token"`
	Recipient    model.EntityID       `json:"recipient_token"`
	Group        bool                 `json:"group,omitempty"`
	Created      time.Time            `json:"created_time"`
	Expires      time.Time            `json:"expires_time,omitzero"`
	Recalled     bool                 `json:"is_recalled,omitempty"`
	Over         bool                 `json:"is_over,omitempty"` // for all readers
	Original     *heldOriginal        `json:"forwarded,omitempty"`
	Unreadable   bool                 `json:"is_unreadable,omitempty"` // its key is gone
	Body         string               `json:"body,omitempty"`
	Data         []model.DataItem     `json:"data,omitempty"`
	Attachment   *heldAttachment      `json:"attachment,omitempty"`
	Statuses     []heldStatus         `json:"statuses"`
}

type heldOriginal struct {
	Sender  model.AccountID `json:"original_sender"`
	Created time.Time       `json:"original_timestamp"`
}

type heldAttachment struct {
	File        string `json:"file"`
	Name        string `json:"name"`
	ContentType string `json:"content-type"`
	Size        int64  `json:"size"`
	Missing     bool   `json:"missing,omitempty"` // its bytes are not there
}

type heldStatus struct {
	Account model.AccountID `json:"account_id"`
	Status  string          `json:"status"`
	Time    time.Time       `json:"timestamp"`
}

// ExportHeld writes all messages of an organization under a legal hold, those that
// are over and kept for its sake included, into files that create makes: a line of
// JSON each in messages.jsonl, and the attachments. It is for the command line, and
// leaves a line in the audit log before it reads anything.
func ExportHeld(ctx context.Context, vault *content.Vault, now time.Time, id model.OrganizationID,
	create func(name string) (io.WriteCloser, error)) (n int, err error) {
	line := model.AuditEntry{Time: model.AuditTime{Time: now.UTC()}, Action: model.ActionHoldExport}
	err = audit.RecordCommand(ctx, vault.Store, line, func(tx *store.Tx, line *model.AuditEntry) error {
		audit.OnOrganization(line, id)
		held, err := tx.Held(id)
		if err == nil && !held {
			err = errors.New("the organization is under no legal hold")
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	file, err := create("messages.jsonl")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	for _, over := range []bool{true, false} {
		var after model.MessageID
		for {
			batch, err := heldBatch(ctx, vault, id, over, after)
			if err != nil {
				return n, err
			}
			for i := range batch {
				m := &batch[i]
				if err := exportAttachment(ctx, vault, m, create); err != nil {
					return n, err
				}
				if err := json.NewEncoder(out).Encode(m.heldMessage); err != nil {
					return n, err
				}
				after = m.ID
				n++
			}
			if len(batch) == 0 {
				break
			}
		}
	}
	return n, out.Flush()
}

type heldRow struct {
	heldMessage
	row        store.MessageRow
	attachment *model.Attachment
}

// heldBatch reads messages that are over, or that readers still see.
func heldBatch(ctx context.Context, vault *content.Vault, id model.OrganizationID, over bool,
	after model.MessageID) (out []heldRow, err error) {
	err = vault.Store.View(ctx, func(tx *store.Tx) error {
		out = nil
		var rows []store.MessageRow
		var err error
		if over {
			rows, err = tx.HeldMessages(id, after, batch)
		} else {
			rows, err = tx.MessagesIn(id, after, batch)
		}
		if err != nil {
			return err
		}
		for i := range rows {
			m := heldRow{row: rows[i]}
			// Those of a message that was recalled stay where they were until it ends.
			got, err := tx.Deliveries([]model.OrganizationID{id}, rows[i].ID)
			if err == nil && over && len(got) == 0 {
				got, err = tx.HeldDeliveries(id, rows[i].ID)
			}
			if err != nil {
				return err
			}
			for _, d := range got {
				m.Statuses = append(m.Statuses, heldStatus{d.Account, d.Status.String(), d.StatusTime})
			}
			out = append(out, m)
		}
		return nil
	})
	for i := range out {
		if err == nil {
			err = openHeld(ctx, vault, &out[i], over)
		}
	}
	return out, err
}

// openHeld reads what a message says. One whose key is gone is exported without.
func openHeld(ctx context.Context, vault *content.Vault, m *heldRow, over bool) error {
	row := &m.row
	said, err := vault.OpenMessage(ctx, row)
	unopened := content.Unreadable(err)
	if unopened {
		err = nil
	}
	statuses := m.Statuses
	if statuses == nil {
		statuses = []heldStatus{}
	}
	m.heldMessage = heldMessage{
		ID: row.ID, Organization: row.Organization, Sender: row.Sender, Recipient: row.Recipient, Group: row.Group,
		Created: row.Created,
		Expires: row.Expires, Recalled: row.Recalled, Over: over, Unreadable: unopened, Body: said.Body, Data: said.Data,
		Statuses: statuses,
	}
	if f := row.Forwarded; f != nil {
		m.Original = &heldOriginal{f.Sender, f.Created}
	}
	if a := said.Attachment; a != nil {
		m.attachment = a
		m.Attachment = &heldAttachment{File: row.ID.String(), Name: a.Name, ContentType: a.ContentType, Size: a.Size}
	}
	return err
}

// exportAttachment writes an attachment under the identifier of its message: its own
// name is anybody's choice.
func exportAttachment(ctx context.Context, vault *content.Vault, m *heldRow,
	create func(name string) (io.WriteCloser, error)) error {
	if m.Attachment == nil {
		return nil
	}
	from, err := vault.OpenAttachment(ctx, m.attachment)
	if model.IsNotFound(err) || errors.Is(err, blob.ErrNotFound) || content.Unreadable(err) {
		m.Attachment.Missing = true
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := create(m.Attachment.File)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
