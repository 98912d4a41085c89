package brand

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func mustPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustJPEG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func mustGIF(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webps are pictures of one pixel in the three forms of the format.
var webps = map[string]string{
	"lossy":    "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	"lossless": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
	"extended": "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8D" +
		"AABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
}

func mustWebP(t testing.TB, form string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(webps[form])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wide returns a WebP picture that says it has 2,000 pixels in each row.
func wide(t *testing.T, form string) []byte {
	b := mustWebP(t, form)
	switch form {
	case "lossy":
		binary.LittleEndian.PutUint16(b[26:], 2000)
	case "lossless":
		binary.LittleEndian.PutUint32(b[21:], 1999)
	case "extended":
		binary.LittleEndian.PutUint16(b[24:], 1999)
	}
	return b
}

func TestLogoIsReadWithTheTypeOfItsBytes(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct {
		content []byte
		kind    string
	}{
		"logo.jpg": {mustPNG(t, MaxSide, 1), "image/png"}, // whatever it is called
		"a.jpeg":   {mustJPEG(t, 8, MaxSide), "image/jpeg"},
		"b.webp":   {mustWebP(t, "lossy"), "image/webp"},
		"c.webp":   {mustWebP(t, "lossless"), "image/webp"},
		"d.webp":   {mustWebP(t, "extended"), "image/webp"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		logo, err := ReadLogo(path)
		if err != nil || logo.Type != test.kind || !bytes.Equal(logo.Bytes, test.content) || len(logo.Tag) != 32 {
			t.Errorf("%s: got %+v, %v", name, logo, err)
		}
	}
	if logo, err := ReadLogo(""); logo != nil || err != nil {
		t.Errorf("without a path: got %v, %v", logo, err)
	}
}

func TestWhatIsNoLogoIsRefused(t *testing.T) {
	dir := t.TempDir()
	whole := mustPNG(t, 64, 64)
	cut := mustWebP(t, "lossy")
	for name, test := range map[string]struct {
		content []byte
		why     string
	}{
		"large.png":     {append(mustPNG(t, 8, 8), make([]byte, MaxBytes)...), "larger than 256 KiB"},
		"wide.png":      {mustPNG(t, MaxSide+1, 1), "1025 x 1 pixels, want at most 1024 x 1024"},
		"high.jpeg":     {mustJPEG(t, 1, MaxSide+1), "1 x 1025 pixels"},
		"lossy.webp":    {wide(t, "lossy"), "2000 x 1 pixels"},
		"lossless.webp": {wide(t, "lossless"), "2000 x 1 pixels"},
		"extended.webp": {wide(t, "extended"), "2000 x 1 pixels"},
		"cut.png":       {whole[:len(whole)-20], "damaged"},
		"cut.webp":      {cut[:len(cut)-1], "damaged"},
		"short.webp":    {cut[:14], "want a PNG, JPEG or WebP picture"},
		"odd.webp":      {bytes.Replace(cut, []byte("VP8 "), []byte("ODD "), 1), "want a PNG, JPEG or WebP picture"},
		"logo.svg":      {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "want a PNG, JPEG or WebP picture"},
		"logo.gif":      {mustGIF(t), "want a PNG, JPEG or WebP picture"},
		"empty.png":     {nil, "want a PNG, JPEG or WebP picture"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLogo(path); err == nil || !strings.Contains(err.Error(), test.why) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want %q", name, err, test.why)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none.png"), dir} {
		if _, err := ReadLogo(path); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}

// FuzzCheck: nothing that a file may hold stops a server otherwise than by a refusal.
func FuzzCheck(f *testing.F) {
	for form := range webps {
		f.Add(mustWebP(f, form))
	}
	f.Add(mustPNG(f, 3, 2))
	f.Add(mustJPEG(f, 3, 2))
	f.Add([]byte("RIFF\xff\xff\xff\xffWEBPVP8X"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if kind, err := check(content); err == nil && kind != "webp" && kind != "png" && kind != "jpeg" {
			t.Errorf("it is taken for %q", kind)
		}
	})
}
