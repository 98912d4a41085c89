package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"signet/internal/api/output"
	"signet/internal/model"
)

// wireBrand is what the house calls itself.
type wireBrand struct {
	Name string `json:"name"`
	Logo bool   `json:"logo"`
}

// getBrand: GET /brand.
func (a *API) getBrand(_ context.Context, c *call) (answer, error) {
	body := output.NewBody()
	defer body.Release()
	if err := body.EncodeReply(wireBrand{a.brand.Name, a.brand.Logo != nil}); err != nil {
		return answer{}, err
	}
	sum := sha256.Sum256(body.Bytes())
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	c.keep()
	h := c.writer.Header()
	h["ETag"] = []string{tag} // as it is spelt
	if hasTag(c.request.Header["If-None-Match"], tag) {
		return notModified(), nil
	}
	output.Send(&c.writer, c.request, http.StatusOK, body.Bytes())
	return written(), nil
}

// getBrandLogo: GET /brand/logo.
func (a *API) getBrandLogo(_ context.Context, c *call) (answer, error) {
	logo := a.brand.Logo
	if logo == nil {
		return answer{}, model.Missing()
	}
	c.keep()
	_, ending, _ := strings.Cut(logo.Type, "/")
	return written(), a.serveFile(c, bytes.NewReader(logo.Bytes), logo.Tag, logo.Type,
		output.Disposition("inline", "logo."+ending))
}

// keep lets browsers keep an answer that is for everybody, and ask whether it is still the same.
func (c *call) keep() { c.writer.Header()["Cache-Control"] = []string{"no-cache"} }

// hasTag reports whether a client has what a tag names (RFC 9110, section 13.1.2).
func hasTag(given []string, tag string) bool {
	for element := range strings.SplitSeq(strings.Join(given, ","), ",") {
		if element = strings.TrimSpace(element); element == "*" || strings.TrimPrefix(element, "W/") == tag {
			return true
		}
	}
	return false
}
