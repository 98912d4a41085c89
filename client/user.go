package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"
)

// Self returns the caller's own account (GET /user).
func (c *Client) Self(ctx context.Context) (*User, error) {
	return fetch[User](ctx, c, get("user"))
}

// User returns an account by token, e-mail, phone, username or `me` (GET
// /user/:user). A user who shares no organization with the caller is an
// [ErrNotFound].
func (c *Client) User(ctx context.Context, user string) (*User, error) {
	return fetch[User](ctx, c, get("user", user))
}

// UserWithMetadata is [Client.User] with what the client's organization keeps
// about the account.
func (c *Client) UserWithMetadata(ctx context.Context, user string) (*User, error) {
	return fetch[User](ctx, c, get("user", user).when("render_metadata", true))
}

// LookupUser finds an account of the whole platform by its exact address (GET
// /user_lookup/:user). It takes an administrative key.
func (c *Client) LookupUser(ctx context.Context, address string) (*User, error) {
	return fetch[User](ctx, c, get("user_lookup", address))
}

// DisableUser keeps everything from opening an account, until it is enabled again; nothing
// of it is lost (POST /user/:user/disable). It takes an administrative key.
func (c *Client) DisableUser(ctx context.Context, user string) error {
	return c.run(ctx, post(nil, "user", user, "disable").harmless())
}

// EraseUser ends an account for good (DELETE /user/:user): nothing opens it and nobody finds
// it from then on, and what it sent and got is erased soon. The username, or an address of an
// account without one, is given again, against mistakes. It takes an administrative key.
func (c *Client) EraseUser(ctx context.Context, user, username string) error {
	r := remove("user", user)
	r.body = map[string]string{"username": username}
	return c.run(ctx, r)
}

// PersonChange is what administrators change of an account; nil leaves a field as it is. A list
// takes the place of the one that is there, and an empty one removes it.
type PersonChange struct {
	FirstName   *string   `json:"first_name,omitempty"`
	LastName    *string   `json:"last_name,omitempty"`
	DisplayName *string   `json:"display_name,omitempty"`
	Username    *string   `json:"username,omitempty"`
	Emails      *[]string `json:"emails,omitempty"`
	Phones      *[]string `json:"phones,omitempty"`
	Title       *string   `json:"title,omitempty"` // in the client's organization, as the department
	Department  *string   `json:"department,omitempty"`
}

// UpdateUser changes what an account is called, the addresses that name it, and what it is in an
// organization (POST /user/:user). It takes an administrative key. An address that is taken is an
// [ErrAddressTaken] naming the field.
func (c *Client) UpdateUser(ctx context.Context, user string, change PersonChange) (*User, error) {
	return fetch[User](ctx, c, post(change, "user", user).harmless())
}

// EnableUser undoes DisableUser (POST /user/:user/enable).
func (c *Client) EnableUser(ctx context.Context, user string) error {
	return c.run(ctx, post(nil, "user", user, "enable").harmless())
}

// NewUser is an account to create. One of username, e-mail and phone is needed.
type NewUser struct {
	FirstName   string   `json:"first_name,omitempty"`
	LastName    string   `json:"last_name,omitempty"`
	DisplayName string   `json:"display_name,omitempty"`
	Username    string   `json:"username,omitempty"`
	Emails      []string `json:"emails,omitempty"`
	Phones      []string `json:"phones,omitempty"`
	Password    string   `json:"password,omitempty"`
	Title       string   `json:"title,omitempty"`
	Department  string   `json:"department,omitempty"`
	IssueKey    bool     `json:"issue_key,omitempty"` // make a regular key with it
}

// LogValue keeps the password out of logs.
func (u NewUser) LogValue() slog.Value { return slog.StringValue("new user " + u.Username) }

// CreatedUser is a new account, and its key where one was asked for.
type CreatedUser struct {
	User
	APIKey    string `json:"api_key,omitempty"`
	APISecret string `json:"api_secret,omitempty"` // shown this once
}

// LogValue keeps the secret out of logs.
func (u CreatedUser) LogValue() slog.Value { return slog.StringValue("user " + u.Token) }

// CreateUser creates an account in an organization (POST /user). It takes an
// administrative key of that organization. An address that is taken is an
// [ErrAddressTaken] naming the field: then call [Client.AddToOrganization].
func (c *Client) CreateUser(ctx context.Context, organization string, user NewUser) (*CreatedUser, error) {
	return fetch[CreatedUser](ctx, c.In(organization), post(user, "user"))
}

// NewUsers are up to 500 accounts to create together.
type NewUsers struct {
	Users  []NewUser `json:"users"`
	DryRun bool      `json:"dry_run,omitempty"` // create none: only say what would be refused

	// RequestID makes a repeat harmless, even by another process: the server makes nobody
	// twice for it within 24 hours. 1 to 128 visible ASCII characters; if it is empty, the
	// client makes one for this call.
	RequestID string `json:"-"`
}

// LogValue keeps the passwords out of logs.
func (n NewUsers) LogValue() slog.Value {
	return slog.StringValue(fmt.Sprint(len(n.Users), " new users"))
}

// CreateResult is what became of one of NewUsers.
type CreateResult struct {
	Index    int          `json:"index"`              // in NewUsers.Users
	Status   int          `json:"status"`             // that the server would have answered CreateUser with
	User     *CreatedUser `json:"user,omitempty"`     // nil where there is an error, and in a dry run
	Repeated bool         `json:"repeated,omitempty"` // the same call has created it before: its secret is not shown again
	Err      *Error       `json:"error,omitempty"`    // nil: it was created, or could be

	Errors   []*Error      `json:"errors,omitempty"`   // all that was found wrong, Err first; a dry run finds everything
	SameAs   *int          `json:"same_as,omitempty"`  // the index of an earlier user of the call with an address of this one
	Existing *ExistingUser `json:"existing,omitempty"` // in a dry run: who has all addresses that are taken
}

// ExistingUser is the account that has the addresses of a NewUser.
type ExistingUser struct {
	User    User     `json:"user"`
	Member  bool     `json:"member"`            // of the organization of the call
	Differs []string `json:"differs,omitempty"` // of a member: the fields of which NewUser says something else
}

// CreateUsers creates accounts in an organization, each as CreateUser would, and returns what
// became of each, in their order (POST /user/bulk). It may be repeated, as a send may. With
// passwords it takes a second for some 20 of them.
func (c *Client) CreateUsers(ctx context.Context, organization string, users NewUsers) ([]CreateResult, error) {
	r := post(users, "user", "bulk").harmless()
	r.set("Request-ID", cmp.Or(users.RequestID, rand.Text()))
	r.patience = time.Duration(len(users.Users)) * hashing
	made, err := fetch[struct {
		Results []CreateResult `json:"results"`
	}](ctx, c.In(organization), r)
	if err != nil {
		return nil, err
	}
	return made.Results, nil
}

// hashing is how long a password may take that the server hashes among others.
const hashing = 500 * time.Millisecond

// Profile is what an account says about itself; nil leaves a field as it is.
type Profile struct {
	FirstName   *string `json:"first_name,omitempty"`
	LastName    *string `json:"last_name,omitempty"`
	DisplayName *string `json:"display_name,omitempty"`
	Status      *string `json:"status,omitempty"`
	DND         *bool   `json:"dnd,omitempty"`
	DNDText     *string `json:"dnd_text,omitempty"`
	AvatarURL   *string `json:"avatar,omitempty"` // not together with Avatar
	Avatar      *Upload `json:"-"`                // PNG, JPEG, GIF or WebP of up to 2 MiB
}

// UpdateProfile changes the caller's own account (POST /user/:user/settings).
func (c *Client) UpdateProfile(ctx context.Context, p Profile) error {
	if p.Avatar != nil && p.AvatarURL != nil {
		return fmt.Errorf("%w: an avatar is a file or a URL, not both", ErrArgument)
	}
	r := post(p, "user", "me", "settings").harmless()
	r.file, r.fileField = p.Avatar, "avatar"
	return c.run(ctx, r)
}

// SetPassword sets an account's password (POST /user/:user/password). Oneself gives
// the old one; a caller that manages the account's keys leaves it empty. It ends the
// password sign-ins of other devices.
func (c *Client) SetPassword(ctx context.Context, user, old, password string) error {
	return c.run(ctx, post(struct {
		Old string `json:"old_password,omitempty"`
		New string `json:"password"`
	}{old, password}, "user", user, "password"))
}
