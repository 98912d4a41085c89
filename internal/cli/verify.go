package cli

import (
	"context"
	"errors"
	"fmt"

	"signet/internal/config"
	"signet/internal/offline"
)

type verifyCommand struct {
	keysFlags
	Full bool `help:"Read attachments to their end, not only their beginning."`
}

func (verifyCommand) Help() string {
	return `It reads the whole database file and compares its tables and indexes, opens every message, all metadata and
every attachment, checks the rows that give access, and follows the audit log from its beginning. What is wrong it
prints, and then exits with 1. It changes nothing, and may run while a server does; of a standby, which must not run,
it checks the copy. PostgreSQL checks its files itself, so there it begins with what is sealed.

Examples:

  signet verify --data /var/lib/signet
  signet verify --full --data /restored --master-key file:/var/lib/signet/master.json`
}

func (v *verifyCommand) Run(ctx context.Context, con *console, cfg *config.Config) error {
	s, err := offline.VerifyAll(ctx, cfg, v.Full, func(line string) { con.printf("%s\n", line) })
	if err != nil {
		return err
	}
	if s.Damaged > 0 {
		return errors.New("the database is damaged: restore a backup, or promote a standby")
	}
	if s.Pages > 0 {
		con.printf("%d pages of the database are sound\n", s.Pages)
	}
	con.tellVerified(&s.Verified)
	con.printf("%s of the audit log as they were written\n", count(s.Entries, "entry", "entries"))
	if n := s.Faults(); n > 0 {
		return fmt.Errorf("%s wrong", count(n, "thing is", "things are"))
	}
	return nil
}
