package api_test

import (
	"testing"

	"signet/internal/brand"
)

func branded(f *figures) {
	f.brand = brand.Brand{Name: "St. Elsewhere", Logo: &brand.Logo{Type: "image/png", Bytes: picture, Tag: "0123"}}
}

// The name and the logo of the house are for everybody, and a browser asks again only whether
// they are the same.
func TestBrandIsShownToWhoeverAsks(t *testing.T) {
	t.Parallel()
	s := start(t, branded)
	got := s.anyone().get("/v2/brand")
	got.reply().wantIs(fields{"name": "St. Elsewhere", "logo": true})
	tag := got.Header.Get("ETag")
	for _, same := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
		s.anyone().get("/v2/brand", header("If-None-Match", same)).want(304).wantHeader("ETag", tag)
	}
	s.anyone().get("/v2/brand", header("If-None-Match", `"other"`)).want(200)
	s.anyone().do("HEAD", "/v2/brand").want(200).wantHeader("ETag", tag)
	// Credentials are not asked, and neither counted.
	s.operator.with("nobody", "nothing").get("/v2/brand").want(200)

	logo := s.anyone().get("/v2/brand/logo")
	logo.want(200).wantHeader("Content-Type", "image/png").wantHeader("ETag", `"0123"`).
		wantHeader("Content-Disposition", `inline; filename="logo.png"`).
		wantHeader("Cross-Origin-Resource-Policy", "same-origin")
	if string(logo.content) != string(picture) {
		t.Errorf("got %d bytes, want the %d of the logo", len(logo.content), len(picture))
	}
	s.anyone().get("/v2/brand/logo", header("If-None-Match", `"0123"`)).want(304)
	s.anyone().get("/v2/brand/logo", header("If-Match", `"other"`)).wantError(412, "precondition_failed")
	s.anyone().get("/v2/brand/logo", header("Range", "bytes=1-3")).want(206)
	s.anyone().post("/v2/brand", fields{"name": "Mine"}).wantError(405, "method_not_allowed")
}

func TestAHouseMayHaveNoBrand(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.anyone().get("/v2/brand")
	got.reply().wantIs(fields{"name": "", "logo": false})
	s.anyone().get("/v2/brand/logo").wantMissing()
	other := start(t, branded).anyone().get("/v2/brand")
	if tag := got.Header.Get("ETag"); tag == other.Header.Get("ETag") {
		t.Errorf("with and without a brand the tag is %s", tag)
	}
}
