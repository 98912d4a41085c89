package sweep

import (
	"log/slog"
	"testing"
	"time"

	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/store"
)

// What goes while it is verified is nobody's fault.
func TestVerifyReportsNothingThatWentMeanwhile(t *testing.T) {
	h := newHouse(t, "dir:"+t.TempDir(), slog.New(slog.DiscardHandler))
	file := h.mustUpload()
	row := store.MessageRow{Blob: file.Blob, Message: model.Message{
		ID: model.MessageID{1}, Organization: "o", Created: h.now, Expires: h.now.Add(time.Hour),
	}}
	h.must(h.vault.Update(t.Context(), func(leases *content.Leases) (err error) {
		row.Sealed, err = h.vault.SealMessage(t.Context(), leases, &row, &model.Content{Attachment: &file})
		return err
	}, func(tx *store.Tx) error {
		if err := tx.InsertOrganization(&model.Organization{ID: "o", Name: "O", Created: h.now}); err != nil {
			return err
		}
		if err := tx.ReferToBlob(file.Blob, 1); err != nil {
			return err
		}
		return tx.InsertMessage(&row)
	}))
	v := verification{vault: h.vault, now: h.now, report: func(line string) { t.Error(line) }}
	h.must(v.message(t.Context(), readMessages, &row))
	if v.Messages != 1 || v.Attachments != 1 {
		t.Errorf("verify says %+v", v.Verified)
	}
	h.must(h.store.Update(t.Context(), func(tx *store.Tx) error {
		if err := tx.DeleteMessage("o", row.ID, row.Blob); err != nil {
			return err
		}
		return tx.NoteKeyEnding("o", row.KeyDay())
	}))
	h.must(h.sweeper().Sweep(t.Context()))
	h.must(v.message(t.Context(), readMessages, &row))
	if v.Broken != 0 || v.Messages != 1 {
		t.Errorf("verify says %+v of what was recalled meanwhile", v.Verified)
	}
}
