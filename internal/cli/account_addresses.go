package cli

import (
	"cmp"
	"context"

	"signet/internal/offline"
)

type accountAddressesCommand struct {
	dataFlags
	Region string `default:"US" env:"SIGNET_DEFAULT_REGION" placeholder:"REGION" help:"Country of telephone numbers without +, as in the server's settings (default US)."`
}

func (accountAddressesCommand) Help() string {
	return `For those who run the server, whether or not it is running. It lists the e-mail addresses and phone
numbers that were stored by earlier rules and would be written differently now: the account, the address, the
form that it would have now (- where it would be refused), and any other account that has the new form. The
addresses go on naming their accounts, and nothing is changed.

Example:

  signet account addresses --data /var/lib/signet`
}

func (a *accountAddressesCommand) Run(ctx context.Context, con *console) error {
	former, err := offline.FormerAddresses(ctx, a.Data, a.Database, a.Region)
	if err != nil {
		return err
	}
	lines := []string{cells("ACCOUNT", "ADDRESS", "TODAY", "OTHER ACCOUNT")}
	for _, f := range former {
		other := ""
		if f.Other != f.Account && !f.Other.IsZero() {
			other = f.Other.String()
		}
		lines = append(lines, cells(f.Account.String(), f.Address.Value, cmp.Or(f.Today, "-"), cmp.Or(other, "-")))
	}
	return con.lines(lines...)
}
