package cli

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"

	"signet/client"
	"signet/internal/commandline"
	"signet/internal/durable"
)

type userExportCommand struct {
	access
	User string `placeholder:"ADDRESS" default:"me" help:"Account, by token, e-mail, phone or username; without it, the caller's."`
	File string `arg:"" help:"ZIP file to write. An existing file is not overwritten."`
}

func (userExportCommand) Help() string {
	return `The archive holds all data of the account, with messages and attachments, as Articles 15 and 20 of the
GDPR ask for it; README.txt in it says what is where. Administrators can export the data of others, but without
what people wrote, and only for the organizations that they administer; the account is told of it.

The file gets its name once the archive is complete.

Examples:

  signet user export my-data.zip
  signet user export --user ann@example.com ann.zip`
}

func (u *userExportCommand) Run(ctx context.Context, con *console, c *client.Client) (err error) {
	file, err := durable.New(u.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Discard()) }()
	size, err := c.ExportUser(ctx, u.User, file)
	if err != nil {
		return err
	}
	// A proxy on the way may end an answer properly that the server broke off.
	if _, err := zip.NewReader(file, size); err != nil {
		return fmt.Errorf("the archive is not whole: %w", err)
	}
	if err := file.CommitNew(); err != nil {
		return err
	}
	saved := map[string]any{"file": u.File, "size": size}
	return show(con, saved, nil, func(map[string]any) []string { return []string{commandline.Plain(u.File)} })
}
