package access

import (
	"context"

	"signet/internal/model"
	"signet/internal/store"
)

// FormerAddress is an address that is stored in a form which is not written any more. It goes
// on naming its account.
type FormerAddress struct {
	Account model.AccountID
	Address model.Address
	Today   string          // the form that would be written; empty: none, it would be refused
	Other   model.AccountID // another account that has that form; zero: none has
}

// formerPage is how many addresses are read in one transaction.
const formerPage = 1000

// FormerAddresses returns the addresses that today's rules would write differently, and
// changes nothing.
func FormerAddresses(ctx context.Context, kept *store.Store, region string) (all []FormerAddress, err error) {
	for _, kind := range []model.AddressKind{model.EmailAddress, model.PhoneAddress} {
		for after, more := "", true; more; {
			var page []store.ClaimedAddress
			former, err := store.Read(ctx, kept, func(tx *store.Tx) (former []FormerAddress, err error) {
				if page, err = tx.ClaimedAddresses(kind, after, formerPage); err != nil {
					return nil, err
				}
				return formerAmong(tx, page, region)
			})
			if err != nil {
				return nil, err
			}
			all = append(all, former...)
			if more = len(page) == formerPage; more {
				after = page[len(page)-1].Address.Value
			}
		}
	}
	return all, nil
}

func formerAmong(tx *store.Tx, page []store.ClaimedAddress, region string) (out []FormerAddress, err error) {
	for _, claimed := range page {
		former := FormerAddress{Account: claimed.Account, Address: claimed.Address,
			Today: todaysForm(claimed.Address, region)}
		if former.Today == claimed.Address.Value {
			continue
		}
		if former.Today != "" {
			today := model.Address{Kind: claimed.Address.Kind, Value: former.Today}
			if former.Other, _, err = tx.AccountAt(today); err != nil {
				return nil, err
			}
		}
		out = append(out, former)
	}
	return out, nil
}

func todaysForm(address model.Address, region string) string {
	if address.Kind == model.EmailAddress {
		if today := Email(address.Value); model.ValidEmail(today) {
			return today
		}
		return ""
	}
	today, _ := number(address.Value, region)
	return today
}
