package people

import (
	"context"
	"errors"
	"slices"

	"signet/internal/access"
	"signet/internal/model"
	"signet/internal/scim"
	"signet/internal/store"
	"signet/internal/store/provision"
)

// This file, and those whose names begin as its own does, are about people whom the directory of an organization keeps
// by SCIM (contract, section 9). All members are people of SCIM, so that a directory finds those who were there before
// it; the directory keeps whom it has written.

// scimUser is a member as SCIM shows it. kept is nil where no directory keeps it.
func scimUser(a *model.Account, m *model.Membership, kept *provision.Person) scim.User {
	u := scim.User{ID: a.ID.String(), GivenName: a.FirstName, FamilyName: a.LastName, DisplayName: a.DisplayName,
		Title: m.Title, Department: m.Department, Active: !a.Disabled, Created: a.Created}
	for _, e := range a.Emails {
		u.Emails = append(u.Emails, scim.Address{Value: e.Address, Type: e.Type})
	}
	for _, p := range a.Phones {
		u.Phones = append(u.Phones, scim.Address{Value: p.Number, Type: p.Type})
	}
	if kept != nil {
		u.Name, u.ExternalID = kept.Name, kept.ExternalID
		return u
	}
	for _, name := range slices.Concat([]string{a.Username}, emailsOf(a)) {
		if name != "" {
			u.OtherNames = append(u.OtherNames, name)
		}
	}
	u.Name = a.ID.String()
	if len(u.OtherNames) > 0 {
		u.Name = u.OtherNames[0]
	}
	return u
}

func emailsOf(a *model.Account) (out []string) {
	for _, e := range a.Emails {
		out = append(out, e.Address)
	}
	return out
}

// ScimQuery is which people are asked for.
type ScimQuery struct {
	Filter      *scim.Filter
	Skip, Limit int // of those who match
}

// ScimPage is some of the people who match a query.
type ScimPage struct {
	Users  []scim.User
	Total  int // of all who match
	Looked int // members that were read for it
}

// scimPiece is how many members are read at a time.
const scimPiece = 500

// ScimUsers lists members of an organization in the order of their tokens.
func (p *People) ScimUsers(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	q ScimQuery) (page ScimPage, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return page, err
	}
	err = p.store.View(ctx, func(tx *store.Tx) error {
		page = ScimPage{}
		if q.Filter == nil {
			return p.scimPage(tx, organization, q, &page)
		}
		pinned, known, err := p.scimPinned(tx, organization, q.Filter.Pins())
		if err != nil {
			return err
		}
		if known {
			return p.scimSift(tx, organization, q, pinned, &page)
		}
		return p.scimWalk(tx, organization, q, &page)
	})
	if err != nil {
		return page, err
	}
	return page, p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionMemberList, Chain: organization,
		Organization: organization})
}

// scimPage reads a page of all members.
func (p *People) scimPage(tx *store.Tx, organization model.OrganizationID, q ScimQuery, page *ScimPage) (err error) {
	if page.Total, err = tx.CountMembers(organization); err != nil || q.Limit == 0 {
		return err
	}
	ids, err := provision.MembersFrom(tx, organization, q.Skip, q.Limit)
	if err == nil {
		page.Looked = len(ids)
		page.Users, err = scimMembers(tx, organization, ids)
	}
	return err
}

// scimWalk looks at all members.
func (p *People) scimWalk(tx *store.Tx, organization model.OrganizationID, q ScimQuery, page *ScimPage) error {
	var after model.AccountID
	for {
		ids, err := tx.MembersAfter(organization, after, scimPiece)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := p.scimSift(tx, organization, q, ids, page); err != nil {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// scimSift adds those of some members, in their order, whom the filter lets through.
func (p *People) scimSift(tx *store.Tx, organization model.OrganizationID, q ScimQuery, ids []model.AccountID,
	page *ScimPage) error {
	users, err := scimMembers(tx, organization, ids)
	if err != nil {
		return err
	}
	page.Looked += len(ids)
	for i := range users {
		if !users[i].Matches(q.Filter) {
			continue
		}
		if page.Total++; page.Total > q.Skip && len(page.Users) < q.Limit {
			page.Users = append(page.Users, users[i])
		}
	}
	return nil
}

// scimPinned finds who may match by what a filter demands for certain. known is false where it demands nothing that an
// index has.
func (p *People) scimPinned(tx *store.Tx, organization model.OrganizationID, pins []scim.Pin) (ids []model.AccountID,
	known bool, err error) {
	for _, pin := range pins {
		switch pin.Attribute {
		case "id":
			if id, ok := model.ParseAccountID(pin.Value); ok {
				ids = append(ids, id)
			}
			return ids, true, nil
		case "externalId":
			ids, err = provision.External(tx, organization, pin.Value)
			return ids, true, err
		case "userName":
			id, found, err := provision.Named(tx, organization, pin.Value)
			if found || err != nil {
				return []model.AccountID{id}, true, err
			}
			ids, err = p.scimAt(tx, pin.Value)
			return ids, true, err
		case "emails.value", "phoneNumbers.value":
			ids, err = p.scimAt(tx, pin.Value)
			return ids, true, err
		}
	}
	return nil, false, nil
}

// scimAt finds the account that an address names.
func (p *People) scimAt(tx *store.Tx, text string) ([]model.AccountID, error) {
	address := p.access.Address(text)
	if address.Kind == model.TokenAddress {
		return []model.AccountID{model.AccountID(address.Token)}, nil
	}
	id, found, err := tx.AccountAt(address)
	if err != nil || !found {
		return nil, err
	}
	return []model.AccountID{id}, nil
}

// scimMembers reads those of the accounts that are members, in the order in which they are named.
func scimMembers(tx *store.Tx, organization model.OrganizationID, ids []model.AccountID) ([]scim.User, error) {
	accounts, err := tx.Accounts(ids)
	if err != nil {
		return nil, err
	}
	memberships, err := tx.MembershipsIn(organization, ids)
	if err != nil {
		return nil, err
	}
	kept, err := provision.OfEach(tx, organization, ids)
	if err != nil {
		return nil, err
	}
	owners := make(map[model.AccountID]*model.Account, len(accounts))
	for i := range accounts {
		owners[accounts[i].ID] = &accounts[i]
	}
	members := make(map[model.AccountID]*model.Membership, len(memberships))
	for i := range memberships {
		members[memberships[i].Account] = &memberships[i]
	}
	out := make([]scim.User, 0, len(ids))
	for _, id := range ids {
		a, m := owners[id], members[id]
		if a == nil || m == nil {
			continue // it left, or never was one
		}
		var of *provision.Person
		if person, ok := kept[id]; ok {
			of = &person
		}
		out = append(out, scimUser(a, m, of))
	}
	return out, nil
}

// ScimUser shows a member.
func (p *People) ScimUser(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.AccountID) (u scim.User, err error) {
	if err := actor.MayAdminister(organization); err != nil {
		return u, err
	}
	err = p.store.View(ctx, func(tx *store.Tx) error {
		found, err := scimMembers(tx, organization, []model.AccountID{id})
		if err == nil && len(found) == 0 {
			err = model.Missing()
		}
		if err == nil {
			u = found[0]
		}
		return err
	})
	if err != nil {
		return u, err
	}
	return u, p.reads.Record(ctx, p.now(), actor, model.AuditEntry{Action: model.ActionMemberList, Chain: organization,
		Organization: organization})
}

// ScimRemove takes a member out of the organization. The program that calls does not remove itself. match is an
// If-Match; empty: whatever the member is.
func (p *People) ScimRemove(ctx context.Context, actor *model.Actor, organization model.OrganizationID,
	id model.AccountID, match string) error {
	if id == actor.Account {
		return model.NotAllowed()
	}
	return p.removeMember(ctx, actor, organization, false, func(tx *store.Tx) (t access.Target, err error) {
		if t, err = p.access.Target(tx, actor, id.String()); err != nil || match == "" {
			return t, err
		}
		found, err := scimMembers(tx, organization, []model.AccountID{id})
		if err == nil && len(found) == 0 {
			err = model.Missing()
		}
		if err == nil {
			err = scim.WantVersion(match, found[0].Version())
		}
		return t, err
	})
}

// named puts what a directory calls a member where it is found.
func named(tx *store.Tx, person provision.Person) error {
	free, err := provision.Put(tx, person)
	if errors.Is(err, store.ErrConflict) || err == nil && !free {
		err = scim.NameTaken("userName")
	}
	return err
}

// username is the user name that a userName gives an account: itself, where it can be one. Others, such as e-mail
// addresses, are known to the directory only, and people sign in with what else they have.
func username(name string) string {
	if model.ValidUsername(name) {
		return name
	}
	return ""
}

// wantedEmails are the e-mail addresses that a directory gives. A userName that is one stands for them where there
// is nothing else by which anybody could name the account.
func wantedEmails(u *scim.User) []scim.Address {
	if len(u.Emails) == 0 && username(u.Name) == "" && model.ValidEmail(access.Email(u.Name)) {
		return []scim.Address{{Value: u.Name, Type: "work"}}
	}
	return u.Emails
}

// freePhones are those of the phone numbers that can be kept: that exist, and that no other account has. A ward has one
// number, and whoever works there has it in the directory; here a number names one account.
func (p *People) freePhones(tx *store.Tx, account model.AccountID, wanted []scim.Address) (out []scim.Address,
	left int, err error) {
	for _, one := range wanted {
		number, ok := p.access.Number(one.Value)
		if !ok {
			left++
			continue
		}
		owner, taken, err := tx.AccountAt(model.Address{Kind: model.PhoneAddress, Value: number})
		if err == nil && !taken {
			owner, _, taken, err = p.access.FormerOwner(tx, one.Value)
		}
		if err != nil {
			return nil, 0, err
		}
		if taken && owner != account {
			left++
			continue
		}
		out = append(out, one)
	}
	return out, left, nil
}

// values are addresses without their types.
func values(list []scim.Address) []string {
	out := []string{} // none, and not those that are there
	for _, one := range list {
		out = append(out, one.Value)
	}
	return out
}

// giveTypes says of an account's addresses what a directory says they are for.
func (p *People) giveTypes(a *model.Account, emails, phones []scim.Address) {
	types := map[string]string{}
	for _, e := range emails {
		types[access.Email(e.Value)] = e.Type
	}
	a.Emails = slices.Clone(a.Emails)
	for i := range a.Emails {
		a.Emails[i].Type = types[a.Emails[i].Address]
	}
	clear(types)
	for _, one := range phones {
		if number, ok := p.access.Number(one.Value); ok {
			types[number] = one.Type
		}
	}
	a.Phones = slices.Clone(a.Phones)
	for i := range a.Phones {
		a.Phones[i].Type = types[a.Phones[i].Number]
	}
}

// keepTypes leaves what an account's addresses are for as it was before.
func keepTypes(a, before *model.Account) {
	for i, e := range a.Emails {
		if at := slices.IndexFunc(before.Emails, func(b model.Email) bool { return b.Address == e.Address }); at >= 0 {
			a.Emails[i].Type = before.Emails[at].Type
		}
	}
	for i, p := range a.Phones {
		if at := slices.IndexFunc(before.Phones, func(b model.Phone) bool { return b.Number == p.Number }); at >= 0 {
			a.Phones[i].Type = before.Phones[at].Type
		}
	}
}

// blame names the attribute of SCIM in an error about a field of ours.
func blame(err error) error {
	told, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	attributes := map[string]string{"username": "userName", "email": "emails", "phone": "phoneNumbers",
		"first_name": "name.givenName", "last_name": "name.familyName", "display_name": "displayName"}
	for ours, theirs := range attributes {
		if told.Field == ours {
			renamed := *told
			renamed.Field = theirs
			return &renamed
		}
	}
	return err
}
