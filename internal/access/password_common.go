package access

import (
	"context"
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"signet/internal/model"
	"signet/internal/store"
)

// commonPasswords has a password a line, after the lines of its source and licence.
//
//go:embed common_passwords.txt
var commonPasswords string

// commonest are the passwords that are tried first.
var commonest = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "# ") && line != "#" {
			out[line] = true
		}
	}
	return out
})

// product is what this is called; a password that holds it is tried soon.
const product = "signet"

// shortName is how many characters a name has at least that a password must not hold: shorter
// ones, such as initials, are part of too many words.
const shortName = 4

// codePasswordCommon is a password that is guessed soon (contract, section 1).
const codePasswordCommon = "password_common"

func passwordCommon() error {
	return model.Invalidf(codePasswordCommon, "password", "The password is guessed soon: it is one of the commonest, or "+
		"has the name or an address of the account, its organization or this product in it.")
}

// WantOwnPassword refuses a password that has a name or an address of its account in it, or the
// name of an organization that it belongs to.
func (c *Control) WantOwnPassword(ctx context.Context, password string, account *model.Account,
	memberships []model.Membership) error {
	names := []string{account.Username, account.DisplayName}
	for _, email := range account.Emails {
		names = append(names, email.Address)
	}
	for _, phone := range account.Phones {
		names = append(names, strings.TrimPrefix(phone.Number, "+"))
	}
	err := c.store.View(ctx, func(tx *store.Tx) error {
		for i := range memberships {
			o, _, err := tx.Organization(memberships[i].Organization)
			if err != nil {
				return err
			}
			names = append(names, o.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if holdsName(password, name) {
			return passwordCommon()
		}
	}
	return nil
}

// holdsName reports whether a password is a name, or has one of some length in it, with its
// blanks or without them.
func holdsName(password, name string) bool {
	password, name = foldPassword(password), foldPassword(name)
	if name == "" {
		return false
	}
	joined := strings.Join(strings.Fields(name), "")
	if utf8.RuneCountInString(joined) < shortName {
		return password == name || password == joined
	}
	return strings.Contains(password, name) || strings.Contains(password, joined)
}

func foldPassword(text string) string { return strings.ToLower(norm.NFKC.String(text)) }
