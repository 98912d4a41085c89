package app

import (
	"bytes"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"testing"
)

func TestBrandOfTheSettingsIsServed(t *testing.T) {
	var logo bytes.Buffer
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	cfg := settings(t)
	cfg.Brand.Name, cfg.Brand.Logo = "St. Elsewhere", filepath.Join(t.TempDir(), "logo")
	mustWrite(t, cfg.Brand.Logo, logo.String(), 0o600)
	a, err := Open(t.Context(), cfg, quiet())
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, a)
	answer, body := mustDo(t, "GET", a.BaseURL()+"/v2/brand")
	wantStatus(t, answer, 200)
	if want := `{"status":"success","reply":{"name":"St. Elsewhere","logo":true}}`; body != want {
		t.Errorf("got %s, want %s", body, want)
	}
	answer, body = mustDo(t, "GET", a.BaseURL()+"/v2/brand/logo")
	wantStatus(t, answer, 200)
	if answer.Header.Get("Content-Type") != "image/png" || body != logo.String() {
		t.Errorf("got %q as %q", body, answer.Header.Get("Content-Type"))
	}
}

func TestALogoThatIsNoneLeavesTheDirectoryAlone(t *testing.T) {
	cfg := settings(t)
	cfg.Data = filepath.Join(t.TempDir(), "new")
	cfg.Brand.Logo = filepath.Join(t.TempDir(), "logo.svg")
	mustWrite(t, cfg.Brand.Logo, "<svg/>", 0o600)
	_, err := Open(t.Context(), cfg, quiet())
	if err == nil || !strings.HasPrefix(err.Error(), "brand.logo: "+cfg.Brand.Logo+": want a PNG") {
		t.Errorf("got %v", err)
	}
	if !isFresh(cfg.Data) {
		t.Error("the data directory was made")
	}
}
