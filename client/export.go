package client

import (
	"context"
	"fmt"
	"io"
	"time"
)

// exportPatience is how long a server may look for the next entry of an archive.
const exportPatience = 5 * time.Minute

// ExportUser writes the archive of an account's data, a ZIP file, to w, and returns its
// size in bytes (GET /user/:user/export). Of the caller's own account, "me", it holds
// everything; an administrator gets others' without what people wrote. After an error w
// has a part of it, which is no ZIP file. While the account makes another archive already
// it is refused as [ErrTooManyExports].
func (c *Client) ExportUser(ctx context.Context, user string, w io.Writer) (size int64, err error) {
	r := get("user", user, "export")
	r.long, r.patience = true, exportPatience
	r.repeat = whenRefused // each archive that is begun is in the audit log
	err = c.try(ctx, r, func(ctx context.Context, p *payload) error {
		answer, err := c.send(ctx, r, p)
		if err != nil {
			return err
		}
		defer answer.Close()
		if size, err = io.Copy(w, answer); err != nil {
			err = fmt.Errorf("%s: at byte %d: %w", r, size, err)
		}
		return err
	})
	return size, err
}
