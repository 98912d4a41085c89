package offline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/content"
	"signet/internal/custody"
	"signet/internal/health"
	"signet/internal/model"
	"signet/internal/seal/sealtest"
	"signet/internal/store"
	"signet/internal/store/enginetest"
	"signet/internal/store/sealing"
	"signet/internal/sweep"
)

// mustOpenVault opens the vault of a store of its own.
func mustOpenVault(t *testing.T) *content.Vault {
	t.Helper()
	dir := t.TempDir()
	engine := enginetest.Open(t, dir, enginetest.Options{})
	kept, err := store.Open(t.Context(), engine, store.NewEpoch)
	must(t, err)
	t.Cleanup(func() { must(t, engine.Close()) })
	enginetest.Authenticate(kept)
	blobs, err := blob.Open("dir:" + t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, blobs.Close()) })
	return &content.Vault{Store: kept, Ring: sealtest.Open(t, dir, time.Now), Blobs: blobs}
}

// What goes while it is verified is nobody's fault.
func TestVerifyReportsNothingThatWentMeanwhile(t *testing.T) {
	vault := mustOpenVault(t)
	kept, now := vault.Store, time.Now().UTC()
	file := model.Attachment{Blob: model.BlobID(uuid.Must(uuid.NewV7())), Name: "x", ContentType: "a/b", Size: 1,
		Key: vault.NewFileKey()}
	must(t, vault.PutFile(t.Context(), &file, strings.NewReader("x")))
	row := store.MessageRow{Blob: file.Blob, Message: model.Message{
		ID: model.MessageID{1}, Organization: "o", Created: now, Expires: now.Add(time.Hour),
	}}
	must(t, vault.Update(t.Context(), func(leases *content.Leases) (err error) {
		row.Sealed, err = vault.SealMessage(t.Context(), leases, &row, &model.Content{Attachment: &file})
		return err
	}, func(tx *store.Tx) error {
		return errors.Join(tx.InsertOrganization(&model.Organization{ID: "o", Name: "O", Created: now}),
			tx.ReferToBlob(file.Blob, 1), tx.InsertMessage(&row))
	}))
	v := verification{vault: vault, now: now, report: func(line string) { t.Error(line) }}
	must(t, v.message(t.Context(), readMessages, &row))
	if v.Messages != 1 || v.Attachments != 1 {
		t.Errorf("verify says %+v", v.Verified)
	}
	must(t, kept.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.DeleteMessages(row), sealing.NoteKeyEnding(tx, "o", row.KeyDay()))
	}))
	log := slog.New(slog.DiscardHandler)
	must(t, sweep.NewSweeper(sweep.Options{
		Store: kept, Vault: vault, Cases: idle{}, Access: idle{}, Log: log, Warnings: health.New(log),
		Clock: custody.NewClock(custody.ClockOptions{Store: kept, Now: time.Now}),
		Audit: audit.NewLog(audit.Options{Store: kept, Clock: time.Now}),
	}).Sweep(t.Context()))
	must(t, v.message(t.Context(), readMessages, &row))
	if v.Broken != 0 || v.Messages != 1 {
		t.Errorf("verify says %+v of what was recalled meanwhile", v.Verified)
	}
}

// A webhook has two secrets while its grace lasts.
func TestVerifyOpensBothSecretsOfAWebhook(t *testing.T) {
	vault, now := mustOpenVault(t), time.Now().UTC()
	row := store.WebhookRow{Webhook: model.Webhook{ID: model.WebhookID{1}, Account: model.AccountID{1},
		URL: "https://example.com/", Signature: model.SignatureHMAC, Created: now, Enabled: true}}
	must(t, vault.Update(t.Context(), func(leases *content.Leases) (err error) {
		if row.Secret, err = vault.SealSecret(t.Context(), leases, &row.Webhook, []byte("new")); err == nil {
			row.Previous, err = vault.SealSecret(t.Context(), leases, &row.Webhook, []byte("old"))
		}
		return err
	}, func(tx *store.Tx) error { return tx.InsertWebhook(&row) }))
	wrong := bytes.Clone(row.Previous)
	wrong[len(wrong)-1] ^= 1
	for _, look := range []struct {
		previous []byte
		broken   int
	}{{row.Previous, 0}, {wrong, 1}, {[]byte{}, 0}} {
		must(t, vault.Store.Update(t.Context(), func(tx *store.Tx) error {
			return tx.Post(`UPDATE webhooks SET previous = ?`, look.previous)
		}))
		v, err := Verify(t.Context(), vault, now, false, func(string) {})
		must(t, err)
		if v.Broken != look.broken || v.Webhooks != 1-look.broken {
			t.Errorf("verify says %+v, want %d that do not open", v, look.broken)
		}
	}
}

// idle are use cases that nobody calls.
type idle struct{ nobody }

func (idle) Age()                                       {}
func (idle) Forget()                                    {}
func (idle) SweepBehind(bool)                           {}
func (idle) DeleteEndedKeys(*store.Tx, time.Time) error { return nil }
func (idle) FlushUses(context.Context) error            { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
