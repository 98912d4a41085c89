package api

import (
	"context"
	"net/http"
	"strings"

	"signet/internal/api/output"
)

// showDocument: GET /openapi.json and GET /openapi-3.0.json: the document of the
// interface, with the vendor's names that this server uses.
func (a *API) showDocument(render func(prefix, namespace string) ([]byte, error)) handler {
	return func(_ context.Context, c *call) (answer, error) {
		document, err := render(strings.TrimSuffix(a.vendor.prefix, "-X-"), a.vendor.namespace)
		if err != nil {
			return answer{}, err
		}
		c.writer.Header().Set("Content-Type", "application/json")
		output.Send(&c.writer, c.request, http.StatusOK, document)
		return written(), nil
	}
}
