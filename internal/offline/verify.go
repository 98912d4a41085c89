package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/store/metadata"
	"signet/internal/store/notes"
)

// Verified counts what Verify looked at.
type Verified struct {
	Messages    int // whose content opens
	Held        int // of these, messages that only a legal hold keeps
	Attachments int
	Metadata    int
	Notes       int // of groups
	Webhooks    int // whose secrets open
	Providers   int // likewise
	Rows        int // that give access, and were written by a server
	Ended       int // messages that have ended, whose keys are destroyed already
	Forged      int // rows that give access, and that no server wrote; each was reported
	Broken      int // what does not open; each was reported
}

// Verify opens everything that is sealed, but for where browsers are pushed to, and reports what
// does not open: the text of every message, those included that only a legal hold keeps, of all
// metadata, of all notes of groups, the secrets of webhooks and of providers, and of every
// attachment its beginning, or all of it where that is wanted. report gets a line that names the
// row. It checks the codes of the rows that give access, too.
func Verify(ctx context.Context, vault *content.Vault, now time.Time, whole bool, report func(line string)) (Verified,
	error) {
	v := verification{vault: vault, now: now, whole: whole, report: report}
	// What is kept for a hold comes after the messages: they move there.
	for _, table := range []messageTable{readMessages, heldMessages} {
		if err := content.EachMessage(ctx, vault.Store, table.held,
			func(row *store.MessageRow) error { return v.message(ctx, table, row) }); err != nil {
			return v.Verified, fmt.Errorf("verify %ss: %w", table.name, err)
		}
	}
	if err := content.EachMetadata(ctx, vault.Store,
		func(row *metadata.Row) error { return v.metadata(ctx, row) }); err != nil {
		return v.Verified, fmt.Errorf("verify metadata: %w", err)
	}
	if err := content.EachNote(ctx, vault.Store, func(row *notes.Row) error { return v.note(ctx, row) }); err != nil {
		return v.Verified, fmt.Errorf("verify notes: %w", err)
	}
	if err := content.EachWebhook(ctx, vault.Store,
		func(row *store.WebhookRow) error { return v.webhook(ctx, row) }); err != nil {
		return v.Verified, fmt.Errorf("verify webhooks: %w", err)
	}
	if err := content.EachProvider(ctx, vault.Store,
		func(row *store.ProviderRow) error { return v.provider(ctx, row) }); err != nil {
		return v.Verified, fmt.Errorf("verify providers: %w", err)
	}
	rows, err := vault.Store.Forgeries(ctx, func(f store.Forgery) {
		v.Forged++
		report(ForgedLine(f))
	})
	if errors.Is(err, store.ErrNoCodes) {
		v.Broken++
		report("rows that give access: the key ring lacks the key of their codes, which were not checked")
	} else if err != nil {
		return v.Verified, fmt.Errorf("verify what gives access: %w", err)
	}
	v.Rows = rows - v.Forged
	return v.Verified, nil
}

// ForgedLine names a row whose code is wrong.
func ForgedLine(f store.Forgery) string {
	return f.String() + ": it was not written by a server, and opens nothing"
}

type verification struct {
	Verified
	vault  *content.Vault
	now    time.Time
	whole  bool
	report func(string)
}

// messageTable is a table of messages.
type messageTable struct {
	name string // of a row, as it is reported
	held bool   // it cannot be read, and no key of it ends
	row  func(*store.Tx, *store.MessageRow) (now store.MessageRow, found bool, err error)
}

var (
	readMessages = messageTable{"message", false,
		func(tx *store.Tx, row *store.MessageRow) (store.MessageRow, bool, error) {
			return tx.Message([]model.OrganizationID{row.Organization}, row.ID, time.Time{})
		}}
	heldMessages = messageTable{"held message", true,
		func(tx *store.Tx, row *store.MessageRow) (store.MessageRow, bool, error) {
			return tx.HeldMessage(row.Organization, row.ID)
		}}
)

// changed reports whether a message was recalled or swept while it was looked at.
func (v *verification) changed(ctx context.Context, table messageTable, row *store.MessageRow) (changed bool,
	err error) {
	err = v.vault.Store.View(ctx, func(tx *store.Tx) error {
		now, found, err := table.row(tx, row)
		changed = !found || !bytes.Equal(now.Sealed, row.Sealed)
		return err
	})
	return changed, err
}

func (v *verification) broken(what string, organization model.OrganizationID, id fmt.Stringer, err error) {
	v.Broken++
	v.report(fmt.Sprintf("%s %s of organization %s: %v", what, id, organization, err))
}

func (v *verification) message(ctx context.Context, table messageTable, row *store.MessageRow) error {
	if len(row.Sealed) == 0 && row.Recalled {
		return nil
	}
	said, err := v.vault.OpenMessage(ctx, row)
	switch {
	case errors.Is(err, seal.ErrKeyGone) && !table.held && !row.Ends.IsZero() && !row.Ends.After(v.now):
		v.Ended++
		return nil
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err != nil:
		changed, fault := v.changed(ctx, table, row)
		if fault == nil && !changed {
			v.broken(table.name, row.Organization, row.ID, err)
		}
		return fault
	}
	v.Messages++
	if table.held {
		v.Held++
	}
	if said.Attachment == nil {
		return nil
	}
	err = v.attachment(ctx, said.Attachment)
	switch {
	case errors.Is(err, blob.ErrUnavailable), ctx.Err() != nil:
		return err
	case err != nil:
		changed, fault := v.changed(ctx, table, row)
		if fault == nil && !changed {
			v.broken("attachment of "+table.name, row.Organization, row.ID, err)
		}
		return fault
	default:
		v.Attachments++
	}
	return nil
}

// attachment opens the bytes of an attachment, which reads the first of them.
func (v *verification) attachment(ctx context.Context, a *model.Attachment) (err error) {
	file, err := v.vault.OpenAttachment(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if file.Size() != a.Size {
		return fmt.Errorf("it has %d bytes, and %d are wanted", file.Size(), a.Size)
	}
	if v.whole {
		_, err = io.Copy(io.Discard, file)
	}
	return err
}

func (v *verification) webhook(ctx context.Context, row *store.WebhookRow) error {
	_, err := v.vault.OpenSecret(ctx, &row.Webhook, row.Secret)
	if err == nil && len(row.Previous) > 0 {
		_, err = v.vault.OpenSecret(ctx, &row.Webhook, row.Previous)
	}
	switch {
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err != nil:
		v.Broken++
		v.report(fmt.Sprintf("secret of webhook %s of account %s: %v", row.ID, row.Account, err))
	default:
		v.Webhooks++
	}
	return nil
}

func (v *verification) provider(ctx context.Context, row *store.ProviderRow) error {
	_, err := v.vault.OpenClientSecret(ctx, row.Organization, row.Secret)
	switch {
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err != nil:
		v.Broken++
		v.report(fmt.Sprintf("client secret of the provider of organization %s: %v", row.Organization, err))
	default:
		v.Providers++
	}
	return nil
}

func (v *verification) metadata(ctx context.Context, row *metadata.Row) error {
	_, err := v.vault.OpenMetadata(ctx, row.Organization, row.Entity, row.Content)
	switch {
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err != nil:
		v.broken("metadata of", row.Organization, row.Entity, err)
	default:
		v.Metadata++
	}
	return nil
}

func (v *verification) note(ctx context.Context, row *notes.Row) error {
	_, err := v.vault.OpenNote(ctx, row)
	switch {
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err == nil:
		v.Notes++
	case errors.Is(err, seal.ErrKeyGone) && !row.Created.Add(model.NoteLife).After(v.now):
		v.Ended++
	default:
		left, fault := v.noteLeft(ctx, row)
		if fault == nil && left {
			v.broken(fmt.Sprintf("note %d of group", row.Sort), row.Organization, row.Group, err)
		}
		return fault
	}
	return nil
}

// noteLeft reports whether a note was not swept while it was looked at.
func (v *verification) noteLeft(ctx context.Context, row *notes.Row) (bool, error) {
	before := notes.Key{Group: row.Group, Sort: row.Sort - 1}
	found, err := store.Read(ctx, v.vault.Store, func(tx *store.Tx) ([]notes.Row, error) {
		return notes.After(tx, before, 1)
	})
	return len(found) > 0 && found[0].Group == row.Group && found[0].Sort == row.Sort, err
}
