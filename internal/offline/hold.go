package offline

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"signet/internal/api/wire"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/export"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/seal"
	"signet/internal/store"
)

// HoldOrganization puts an organization under a legal hold, or lifts it, in the data
// directory or the database itself.
func HoldOrganization(ctx context.Context, dir, database, organization string, held bool) error {
	return Change(ctx, dir, database, func(kept *store.Store) error {
		return casesOf(kept).people.SetHold(ctx, model.CommandLine(), model.OrganizationID(organization), held)
	})
}

// ExportHeld writes what an organization's messages say, those included that only a
// legal hold keeps, into a new directory: messages.jsonl, and the attachments beside
// it. It returns how many messages there are.
func ExportHeld(ctx context.Context, cfg *config.Config, organization, target string) (messages int, err error) {
	write := func(kept *store.Store, ring *seal.Ring) (err error) {
		at, err := blob.OpenExisting(home.Blobs(cfg.Data, cfg.Blobs))
		if err != nil {
			return err
		}
		files := blob.WhilePresent(at, func() {})
		defer func() { err = errors.Join(err, files.Close()) }()
		if err := wantOwn(ctx, kept, files); err != nil {
			return err
		}
		if err := os.Mkdir(target, 0o700); err != nil {
			return fmt.Errorf("make the directory of the export: %w", err)
		}
		defer func() {
			if err != nil {
				_ = os.Remove(target) // refused where something is in it
			}
		}()
		vault := &content.Vault{Store: kept, Ring: ring, Blobs: files}
		messages, err = WriteHeld(ctx, vault, time.Now(), model.OrganizationID(organization),
			func(name string) (io.WriteCloser, error) {
				return os.OpenFile(filepath.Join(target, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			})
		return err
	}
	err = Inspect(ctx, cfg.Data, cfg.Database, func(kept *store.Store) error {
		return withRing(ctx, cfg, kept, func(ring *seal.Ring) error { return write(kept, ring) })
	})
	return messages, err
}

// wantOwn refuses a place of attachments that is not there, or another installation's: each file would be
// missing. It may be marked with a later epoch, where another server took over and both have one bucket.
func wantOwn(ctx context.Context, kept *store.Store, files blob.Store) error {
	_, err := custody.Check(ctx, kept, custody.BlobsAt(files.String()), files)
	if not, is := errors.AsType[*custody.NotOurs](err); is && not.Mark.Installation == not.Store.Installation {
		return nil
	}
	return home.OwnershipFault(err)
}

// WriteHeld writes all messages of an organization under a legal hold into files that create
// makes: a line of JSON each in messages.jsonl, and the attachments.
func WriteHeld(ctx context.Context, vault *content.Vault, now time.Time, id model.OrganizationID,
	create func(name string) (io.WriteCloser, error)) (n int, err error) {
	held, err := export.BeginHeld(ctx, vault, now, id)
	if err != nil {
		return 0, err
	}
	file, err := create("messages.jsonl")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriter(file)
	lines := json.NewEncoder(out)
	err = held.Each(ctx, func(m *export.Held) error {
		line, err := heldLine(ctx, vault, m, create)
		if err != nil {
			return err
		}
		n++
		return lines.Encode(line)
	})
	return n, errors.Join(err, out.Flush())
}

// heldLine is the line of a message, whose attachment it writes.
func heldLine(ctx context.Context, vault *content.Vault, m *export.Held,
	create func(name string) (io.WriteCloser, error)) (line wire.HeldMessage, err error) {
	shown := m.Message
	shown.Recalled = false // what it said is kept
	line = wire.HeldMessage{IsOver: m.Over, IsUnreadable: m.Unreadable, ExportedMessage: wire.ExportedMessage{
		Message: new(wire.View).Message(&shown), Statuses: wire.StatusRows(m.Statuses)}}
	if line.IsRecalled = m.Recalled; m.Unreadable {
		line.Body = nil
	}
	if m.Attachment == nil {
		return line, nil
	}
	from, err := vault.OpenAttachment(ctx, m.Attachment)
	if model.IsNotFound(err) || errors.Is(err, blob.ErrNotFound) || content.Unreadable(err) {
		line.IsFileMissing = true
		return line, nil
	}
	if err != nil {
		return line, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	line.File = m.ID.String() // the name that it came with is anybody's choice
	to, err := create(line.File)
	if err != nil {
		return line, err
	}
	_, err = io.Copy(to, from)
	return line, errors.Join(err, to.Close())
}
