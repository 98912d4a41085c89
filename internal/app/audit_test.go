package app

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"signet/client"
	"signet/internal/audit"
	"signet/internal/blob"
	"signet/internal/config"
	"signet/internal/home"
	"signet/internal/model"
	"signet/internal/offline"
	"signet/internal/store"
	"signet/internal/store/sqlite"
)

// mustExportAudit exports the audit log into a file, and returns its path and text.
func mustExportAudit(t *testing.T, dir string, which offline.AuditSelection) (path, text string) {
	t.Helper()
	var out bytes.Buffer
	if err := offline.ExportAudit(t.Context(), dir, "", which, &out); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, out.String()
}

// The log of a server that runs is exported and checked, and a line that somebody
// took from the end is missed by what was kept elsewhere.
func TestAuditIsExportedAndVerifiedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	org, err := operator.CreateOrganization(t.Context(), "Audited", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	path, text := mustExportAudit(t, w.app.dir, offline.AuditSelection{})
	for _, want := range []string{`"action":"operator.create"`, `"action":"organization.create"`,
		`"action":"audit.export"`, `"on_organization":"` + org, `signet audit checkpoint 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("the export lacks %s:\n%s", want, text)
		}
	}
	if _, part := mustExportAudit(t, w.app.dir, offline.AuditSelection{Organization: org}); strings.Contains(part,
		"operator.create") || !strings.Contains(part, "organization.create") {
		t.Errorf("the export of one organization is\n%s", part)
	}
	if _, later := mustExportAudit(t, w.app.dir,
		offline.AuditSelection{Since: time.Now().Add(time.Hour)}); strings.Contains(later, `"entry"`) {
		t.Errorf("the export of what is to come is\n%s", later)
	}
	cfg := &config.Config{Data: w.app.dir}
	if n, err := offline.VerifyAudit(t.Context(), cfg, []string{path}, unforged(t)); err != nil || n.Entries < 4 {
		t.Errorf("the check finds %d entries, %v", n, err)
	}
	entries, err := operator.Audit(t.Context(), org, client.AuditQuery{Limit: 10})
	if err != nil || len(entries) == 0 || entries[len(entries)-1].Action != "organization.create" {
		t.Errorf("the client reads %+v, %v", entries, err)
	}

	mustExec(t, w.app.dir, `DELETE FROM audit_checkpoints`, `DELETE FROM audit_entries WHERE chain = '' AND number > 1`,
		`UPDATE audit_chains SET number = 1, hash = (SELECT hash FROM audit_entries WHERE chain = '') WHERE chain = ''`)
	_, err = offline.VerifyAudit(t.Context(), cfg, []string{path}, unforged(t))
	if fault := new(audit.Fault); !errors.As(err, &fault) || fault.Chain != "" || fault.Number != 2 {
		t.Errorf("with its end cut off the check says %v", err)
	}
	if err := offline.ExportAudit(t.Context(), w.app.dir, "", offline.AuditSelection{Organization: "nowhere"},
		io.Discard); err == nil {
		t.Error("the log of an organization that never was is exported")
	}
}

// wantNoExportWithoutFiles exports what is held where the place of the attachments is another one.
func wantNoExportWithoutFiles(t *testing.T, cfg *config.Config, org, target string) {
	t.Helper()
	missing := filepath.Join(t.TempDir(), "missing")
	others := t.TempDir()
	blobs, err := blob.OpenDirectory(others)
	if err == nil {
		err = errors.Join(blobs.Begin(t.Context()), blobs.SetOwner(t.Context(), model.Mark{Installation: "x", Epoch: "y"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	for what, place := range map[string]string{"missing": missing, "not mounted": t.TempDir(), "another's": others} {
		elsewhere := *cfg
		elsewhere.Blobs = place
		if _, err := offline.ExportHeld(t.Context(), &elsewhere, org, target); err == nil || home.Exists(target) ||
			home.Exists(missing) {
			t.Errorf("with a place of attachments that is %s the export ended with %v, and left something: %v, %v", what, err,
				home.Exists(target), home.Exists(missing))
		}
	}
}

// Commands on the data of a server that runs hold and erase at once.
func TestHoldAndErasureFromTheCommandLine(t *testing.T) {
	t.Parallel()
	w := mustOpenWard(t)
	dir := w.app.dir
	operator := w.operator(mustReadCredentials(t, w.app.OperatorFile()))
	org, err := operator.CreateOrganization(t.Context(), "Held", client.OrganizationSettings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := offline.HoldOrganization(t.Context(), dir, "", org, true); err != nil {
		t.Fatal(err)
	}
	if o, err := operator.Organization(t.Context(), org); err != nil || !o.LegalHold {
		t.Errorf("the organization is %+v, %v", o, err)
	}
	if err := offline.EraseOrganization(t.Context(), &config.Config{Data: dir}, org, false); err == nil ||
		!strings.Contains(err.Error(), "legal_hold") {
		t.Errorf("erasing what is held answers %v", err)
	}
	target := filepath.Join(t.TempDir(), "case")
	cfg := config.Default()
	cfg.Data = dir
	wantNoExportWithoutFiles(t, cfg, org, target)
	if _, err := offline.ExportHeld(t.Context(), cfg, "nobody", target); err == nil || home.Exists(target) {
		t.Errorf("an export of no organization answers %v, and its directory is there: %v", err, home.Exists(target))
	}
	if _, err := offline.ExportHeld(t.Context(), cfg, org, target); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(target, "messages.jsonl")); err != nil {
		t.Error(err)
	}
	if err := offline.HoldOrganization(t.Context(), dir, "", org, false); err != nil {
		t.Fatal(err)
	}
	if _, err := offline.ExportHeld(t.Context(), cfg, org, filepath.Join(t.TempDir(), "other")); err == nil {
		t.Error("what is not held is exported")
	}
	if err := offline.EraseOrganization(t.Context(), &config.Config{Data: dir}, org, false); err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Organization(t.Context(), org); err == nil {
		t.Error("an erased organization is shown")
	}
	if err := offline.EraseAccount(t.Context(), dir, "", "US", "nobody@example.com", false); err == nil {
		t.Error("an account that never was is erased")
	}
	if _, err := offline.VerifyAudit(t.Context(), &config.Config{Data: dir}, nil, unforged(t)); err != nil {
		t.Error(err)
	}
}

// mustExec carries out statements on the database of a data directory.
func mustExec(t *testing.T, dir string, statements ...string) {
	t.Helper()
	engine, err := sqlite.Open(home.Database(dir), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = engine.Update(t.Context(), func(session store.Session) error {
		for _, statement := range statements {
			if _, err := session.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, engine.Close()); err != nil {
		t.Fatal(err)
	}
}

// unforged fails the test where a row that gives access was not written by a server.
func unforged(t *testing.T) func(line string) {
	return func(line string) { t.Error(line) }
}
