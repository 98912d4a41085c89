package apptest

import (
	"signet/client"
)

// Person is an account with a key.
type Person struct {
	Client      *client.Client
	Name        string // username
	Token       string
	Key, Secret string
}

// Cast are the people that most stories need.
type Cast struct {
	*Server
	Organization            string // its token
	Alice, Bob, Carol, Dana *Person
}

// The cast, as the examples of docs/api introduce it.
var cast = []client.NewUser{
	{Username: "alice", FirstName: "Alice", LastName: "Ames", Emails: []string{"alice@example.com"},
		Phones: []string{"+14155550101"}, Title: "Nurse", Department: "Surgery", IssueKey: true},
	{Username: "bob", FirstName: "Bob", LastName: "Brown", Emails: []string{"bob@example.com"},
		Phones: []string{"+14155550102"}, Title: "Surgeon", Department: "Surgery", IssueKey: true},
	{Username: "carol", FirstName: "Carol", LastName: "Clark", Emails: []string{"carol@example.com"}, Title: "Nurse",
		Department: "Emergency", IssueKey: true},
	{Username: "dana", FirstName: "Dana", LastName: "Drew", Emails: []string{"dana@example.com"}, Title: "Administrator",
		IssueKey: true},
}

// People puts three members and an administrator into an organization of their
// own, "General Hospital". Their queues are empty.
func (s *Server) People() *Cast {
	s.t.Helper()
	ctx := s.t.Context()
	organization, err := s.Operator.Client.CreateOrganization(ctx, "General Hospital", client.OrganizationSettings{})
	if err != nil {
		s.t.Fatal(err)
	}
	c := &Cast{Server: s, Organization: organization}
	for i, place := range []**Person{&c.Alice, &c.Bob, &c.Carol, &c.Dana} {
		*place = s.MustCreate(organization, cast[i])
	}
	s.MustMakeAdministrator(organization, c.Dana)
	// The operator made the organization, and is its member. Here it is to be the
	// platform's operator only.
	if err := s.Operator.Client.RemoveFromOrganization(ctx, s.Operator.Token, organization); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range []*Person{c.Alice, c.Bob, c.Carol, c.Dana, s.Operator} {
		if _, err := p.Client.DeleteEvents(ctx, false); err != nil {
			s.t.Fatal(err)
		}
	}
	return c
}

// MustCreate makes an account with a key in an organization.
func (s *Server) MustCreate(organization string, user client.NewUser) *Person {
	s.t.Helper()
	user.IssueKey = true
	made, err := s.Operator.Client.CreateUser(s.t.Context(), organization, user)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &Person{Name: user.Username, Token: made.Token, Key: made.APIKey, Secret: made.APISecret}
	p.Client = s.mustConnect(p)
	return p
}

// MustMakeAdministrator makes a member an administrator of its organization, and
// gives it an administrative key in place of the one that it has.
func (s *Server) MustMakeAdministrator(organization string, p *Person) {
	s.t.Helper()
	ctx := s.t.Context()
	if _, err := s.Operator.Client.GrantRole(ctx, p.Token, organization, client.RoleAdmin); err != nil {
		s.t.Fatal(err)
	}
	key, err := s.Operator.Client.CreateKey(ctx, p.Token, client.NewKey{Kind: client.AdministrativeKey})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.Operator.Client.RevokeKey(ctx, p.Token, p.Key); err != nil {
		s.t.Fatal(err)
	}
	p.Key, p.Secret = key.APIKey, key.APISecret
	p.Client = s.mustConnect(p)
}

// As returns a person as it calls this server, which is another one on the same
// database than it was made on.
func (s *Server) As(p *Person) *Person {
	s.t.Helper()
	here := *p
	here.Client = s.mustConnect(&here)
	return &here
}
