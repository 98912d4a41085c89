package api

import (
	"context"
	"net/http"
	"strings"

	"signet/openapi"
)

// getOpenAPI: GET /openapi.json: the document of the interface, with the vendor's
// names that this server uses.
func (a *API) getOpenAPI(_ context.Context, c *call) (answer, error) {
	document, err := openapi.JSON(strings.TrimSuffix(a.vendor.prefix, "-X-"), a.vendor.namespace)
	if err != nil {
		return answer{}, err
	}
	c.writer.Header().Set("Content-Type", "application/json")
	a.send(c, http.StatusOK, document)
	return written(), nil
}
