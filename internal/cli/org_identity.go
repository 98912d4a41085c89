package cli

import (
	"context"
	"strconv"
	"strings"

	"signet/client"
)

type orgIdentityCommands struct {
	Show   orgIdentityShowCommand   `cmd:"" help:"Show with which provider of identities members sign in." note:"For administrators of the organization." example:"signet org identity show Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Set    orgIdentitySetCommand    `cmd:"" help:"Set the provider up with which members sign in (OpenID Connect)." note:"What is not given stays as it is. Domains that an operator gives are confirmed thereby." example:"signet org identity set Hq3nVt0cXz8Lw2RbKd5mYp7A --issuer https://login.example.com --client-id signet --client-secret-variable CLIENT_SECRET --domain example.com"`
	Remove orgIdentityRemoveCommand `cmd:"" help:"End that members sign in with a provider." note:"Sessions stay until they end." example:"signet org identity remove Hq3nVt0cXz8Lw2RbKd5mYp7A"`
}

// organizationArgument names an organization.
type organizationArgument struct {
	Organization string `arg:"" help:"Token of the organization."`
}

type orgIdentityShowCommand struct {
	access
	organizationArgument
}

func (o *orgIdentityShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	shown, err := c.Identity(ctx, o.Organization)
	return show(con, shown, err, identityLines)
}

func identityLines(i *client.Identity) []string {
	yes := strconv.FormatBool
	return []string{cells("id", i.ID), cells("name", i.Name), cells("issuer", i.Issuer), cells("client_id", i.ClientID),
		cells("has_secret", yes(i.HasSecret)), cells("domains", strings.Join(i.Domains, ",")),
		cells("confirmed_domains", strings.Join(i.ConfirmedDomains, ",")),
		cells("admin_groups", strings.Join(i.AdminGroups, ",")), cells("provision", yes(i.Provision)),
		cells("passwords", yes(i.Passwords)), cells("passwords_off", yes(i.PasswordsOff)), cells("enabled", yes(i.Enabled)),
		cells("shown", yes(i.Shown)), cells("tried", yes(i.Tried)), cells("redirect_uri", i.RedirectURI),
		cells("backchannel_logout_uri", i.LogoutURI)}
}

type orgIdentitySetCommand struct {
	access
	organizationArgument
	Issuer     *string  `placeholder:"URL" help:"The issuer, as it spells itself."`
	ClientID   *string  `name:"client-id" placeholder:"ID" help:"By which the issuer knows the server."`
	SecretFrom string   `name:"client-secret-variable" placeholder:"NAME" help:"Environment variable that holds the client's secret; empty: the client has none."`
	Name       *string  `help:"What people see; the organization's name, unless set."`
	Domain     []string `placeholder:"DOMAIN" help:"Domain of e-mail addresses; may be repeated. They take the place of the ones before."`
	NoDomains  bool     `help:"No domains."`
	AdminGroup []string `placeholder:"GROUP" help:"Group whose members administer the organization; may be repeated."`
	NoGroups   bool     `name:"no-admin-groups" help:"Roles stay as they are."`
	Username   *string  `name:"username-claim" placeholder:"CLAIM" help:"Claim with the user name; preferred_username, unless set."`
	Email      *string  `name:"email-claim" placeholder:"CLAIM" help:"Claim with the e-mail address; email, unless set."`
	Display    *string  `name:"display-name-claim" placeholder:"CLAIM" help:"Claim with the display name; name, unless set."`
	Groups     *string  `name:"groups-claim" placeholder:"CLAIM" help:"Claim with the groups; groups, unless set. Claims that are not given go back to these."`
	Provision  *bool    `negatable:"" help:"Make accounts of people whom nobody knows."`
	Passwords  *bool    `negatable:"" help:"Members whom the organization created may sign in with a password too."`
	Enabled    *bool    `negatable:"" help:"Sign people in; else the provider can only be tried."`
	Shown      *bool    `negatable:"" help:"Show it on the sign-in page of everybody; for operators."`
	Forget     string   `placeholder:"ADDRESS" help:"Member whom the provider is to know no more: its account is found by the e-mail address again."`
}

func (o *orgIdentitySetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	change := client.IdentityChange{Issuer: o.Issuer, ClientID: o.ClientID, Name: o.Name, Provision: o.Provision,
		Passwords: o.Passwords, Enabled: o.Enabled, Shown: o.Shown, Forget: o.Forget,
		Domains: listOf(o.Domain, o.NoDomains), AdminGroups: listOf(o.AdminGroup, o.NoGroups)}
	if o.SecretFrom != "" {
		change.ClientSecret = new(con.env.Variable(o.SecretFrom))
	}
	if o.Username != nil || o.Email != nil || o.Display != nil || o.Groups != nil {
		change.Claims = &client.IdentityClaims{Username: given(o.Username), Email: given(o.Email),
			DisplayName: given(o.Display), Groups: given(o.Groups)}
	}
	return c.SetIdentity(ctx, o.Organization, change)
}

// listOf is a list that takes the place of another one; nil: that stays.
func listOf(list []string, none bool) *[]string {
	if len(list) == 0 && !none {
		return nil
	}
	if none {
		list = []string{}
	}
	return &list
}

// given is a text that may be left out.
func given(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

type orgIdentityRemoveCommand struct {
	access
	organizationArgument
}

func (o *orgIdentityRemoveCommand) Run(ctx context.Context, c *client.Client) error {
	return c.RemoveIdentity(ctx, o.Organization)
}
