package api

import (
	"context"

	"signet/internal/api/wire"
	"signet/internal/identity"
	"signet/internal/model"
)

// claimFields is how many names and values the object of claims may have.
const claimFields = 16

// identityCommand reads what is asked for of a provider.
func (c *call) identityCommand() identity.Command {
	f := &c.body.Fields
	in := identity.Command{
		Issuer: f.OptionalText("issuer"), ClientID: f.OptionalText("client_id"),
		ClientSecret: f.OptionalText("client_secret"), Name: f.OptionalText("name"),
		Domains: optionalList(f.List("domains")), AdminGroups: optionalList(f.List("admin_groups")),
		Provision: f.OptionalBool("provision"), Passwords: f.OptionalBool("passwords"),
		Enabled: f.OptionalBool("enabled"), Shown: f.OptionalBool("shown"), Forget: f.Text("forget"),
	}
	if o := f.Object("claims", claimFields); o != nil {
		in.Claims = &model.ClaimNames{Username: o.Text("username"), Email: o.Text("email"),
			DisplayName: o.Text("display_name"), Groups: o.Text("groups")}
		f.RefuseFor(o)
	}
	return in
}

// optionalList is a list that was given; nil: it was not.
func optionalList(list []string) *[]string {
	if list == nil {
		return nil
	}
	return &list
}

// setIdentity: POST /organization/:organization/identity.
func (a *API) setIdentity(ctx context.Context, c *call) (answer, error) {
	in := c.identityCommand()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	return noContent(), a.identities.Set(ctx, c.actor, c.organizationPath(), in)
}

// getIdentity: GET /organization/:organization/identity.
func (a *API) getIdentity(ctx context.Context, c *call) (answer, error) {
	shown, err := a.identities.Show(ctx, c.actor, c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	out := wire.ShownIdentity(&shown)
	out.RedirectURI = c.oidcURL(shown.Organization, "callback")
	out.LogoutURI = c.oidcURL(shown.Organization, "logout")
	return reply(out), nil
}

// removeIdentity: DELETE /organization/:organization/identity.
func (a *API) removeIdentity(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.identities.Remove(ctx, c.actor, c.organizationPath())
}

// testIdentity: POST /organization/:organization/identity/test.
func (a *API) testIdentity(ctx context.Context, c *call) (answer, error) {
	b, err := a.start(c, c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	b.Return = c.body.Text("return")
	if err := c.err(); err != nil {
		return answer{}, err
	}
	test, url, err := a.identities.Try(ctx, c.actor, b)
	if err != nil {
		return answer{}, err
	}
	a.setBrowser(c, b.Browser)
	return reply(map[string]string{"test": test, "url": url}), nil
}

// getIdentityTest: GET /organization/:organization/identity/test/:test.
func (a *API) getIdentityTest(ctx context.Context, c *call) (answer, error) {
	tried, err := a.identities.Tested(ctx, c.actor, c.organizationPath(), c.path("test"))
	if err != nil {
		return answer{}, err
	}
	return reply(wire.ShownTest(tried)), nil
}
