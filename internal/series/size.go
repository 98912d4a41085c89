package series

import (
	"context"
	"time"

	"signet/internal/backlog"
	"signet/internal/model"
	"signet/internal/store"
	"signet/internal/store/overview"
	stored "signet/internal/store/series"
)

const (
	// someFiles is how many files are added up in one snapshot.
	someFiles = 5000
	// mostAttachments is up to how many attachments of an organization are added up: as many as
	// where consoles ask for its usage.
	mostAttachments = 100_000
)

// sizing is whose rows say what is stored, which is counted once in an hour, beside those of the
// servers.
var sizing = model.NodeID{15: 1}

// sizeFiles adds up how many bytes all files have, and writes that down as of this minute.
func (w *hourWork) sizeFiles(ctx context.Context) error {
	if w.tooLate() {
		return nil
	}
	for n := someFiles; n == someFiles; {
		begun := time.Now()
		files, err := store.Read(ctx, w.Store, func(tx *store.Tx) ([]stored.Sized, error) {
			return stored.FilesAfter(tx, w.File, someFiles)
		})
		if err != nil {
			return err
		}
		for _, f := range files {
			w.Bytes += f.Bytes
			w.File = f.Blob
		}
		if n = len(files); n < someFiles {
			break
		}
		if err := backlog.Rest(ctx, begun); err != nil {
			return err
		}
	}
	found := whole{Blobs: &w.Bytes}
	row := stored.Row{Step: stored.Minute, Begun: w.now().Truncate(time.Minute), Node: sizing, Counted: found.stored()}
	return w.Store.Update(ctx, func(tx *store.Tx) error { return stored.Put(tx, &row) })
}

// sizeOrganizations adds up how many bytes the attachments of each organization have in which
// somebody called, and once a day those of all: what expires goes without a call.
func (w *hourWork) sizeOrganizations(ctx context.Context) error {
	if w.tooLate() {
		return nil
	}
	called := func(tx *store.Tx, some []model.OrganizationID) ([]model.OrganizationID, error) {
		if w.end().Equal(w.end().Truncate(day)) {
			return some, nil
		}
		return stored.ActiveAmong(tx, some, w.hour, w.end(), sizing)
	}
	return w.eachOrganization(ctx, called, func(id model.OrganizationID) error {
		size, err := store.Read(ctx, w.Store, func(tx *store.Tx) (int64, error) {
			_, bytes, err := overview.AttachmentsOf(tx, id, mostAttachments)
			return bytes, err
		})
		if err != nil {
			return err
		}
		p := part{Storage: &size}
		return w.putParts(ctx, stored.Row{Organization: id, Step: stored.Minute, Begun: w.now().Truncate(time.Minute),
			Node: sizing, Counted: p.stored()})
	})
}
