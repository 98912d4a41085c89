package service

import (
	"slices"
	"strings"

	"signet/internal/model"
	"signet/internal/store"
)

func (s *Service) withinGroupLimit(n int) error {
	if limit := s.limits.GroupMembers; limit > 0 && n > limit {
		return model.Invalidf("too_many_members", "members", "A group has at most %d members.", limit)
	}
	return nil
}

// membersNamed resolves member addresses, in order and without repeats. All must
// belong to the organization; the error names those that do not.
func (s *Service) membersNamed(tx *store.Tx, actor *model.Actor, organization model.OrganizationID,
	addresses []string) ([]model.AccountID, error) {
	accounts, err := s.accountsNamed(tx, actor, organization, addresses)
	if err != nil {
		return nil, err
	}
	known := map[model.AccountID]bool{}
	return slices.DeleteFunc(accounts, func(account model.AccountID) bool {
		again := known[account]
		known[account] = true
		return again
	}), nil
}

// accountsNamed is membersNamed with a place for each address.
func (s *Service) accountsNamed(tx *store.Tx, actor *model.Actor, organization model.OrganizationID,
	addresses []string) ([]model.AccountID, error) {
	var out []model.AccountID
	named := map[model.AccountID]string{}
	var strangers []string
	for _, address := range addresses {
		entity, _, found, err := s.access.Resolve(tx, actor, address, false)
		if err != nil {
			return nil, err
		}
		account := model.AccountID(entity)
		if !found {
			strangers = append(strangers, address)
			continue
		}
		if out = append(out, account); named[account] == "" {
			named[account] = address
		}
	}
	present, err := tx.MembershipsIn(organization, out)
	if err != nil {
		return nil, err
	}
	in := map[model.AccountID]bool{}
	for _, m := range present {
		in[m.Account] = true
	}
	for _, account := range out {
		if !in[account] {
			strangers = append(strangers, named[account])
		}
	}
	if len(strangers) > 0 {
		return nil, notMembers(strangers)
	}
	return out, nil
}

func notMembers(addresses []string) *model.Error {
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	return model.Invalidf("members_unknown", "members", "These do not belong to the organization: %s",
		strings.Join(addresses, ", "))
}

// groupName is the name that was given, or the first three members' names.
func groupName(tx *store.Tx, name *string, members []model.AccountID) (string, error) {
	if name != nil && model.TidyName(*name) != "" {
		return model.TidyName(*name), nil
	}
	first := members[:min(3, len(members))]
	accounts, err := tx.Accounts(first)
	if err != nil {
		return "", err
	}
	var names []string
	for _, id := range first {
		for _, a := range accounts {
			if a.ID == id {
				names = append(names, a.DisplayName)
			}
		}
	}
	joined := []rune(strings.Join(names, ", "))
	return model.TidyName(string(joined[:min(len(joined), maxGroupName)])), nil
}
