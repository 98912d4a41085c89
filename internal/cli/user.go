package cli

import (
	"context"
	"strings"

	"signet/client"
)

type userCommands struct {
	Create   userCreateCommand   `cmd:"" help:"Create an account in an organization and print its token."`
	Import   userImportCommand   `cmd:"" help:"Create many accounts in an organization from a CSV file."`
	Lookup   userLookupCommand   `cmd:"" help:"Find an account of the whole platform by its exact address." note:"It takes an administrative key. Exit code 4: there is no such account." example:"signet user lookup ann@example.com || signet user create ..."`
	Show     userShowCommand     `cmd:"" help:"Show an account." note:"You can see accounts that share an organization with the caller." example:"signet user show ann@example.com"`
	Update   userUpdateCommand   `cmd:"" help:"Change what the caller's account says about itself." note:"What is not given stays as it is." example:"signet user update --status \"in surgery\" --dnd"`
	Set      userSetCommand      `cmd:"" help:"Change the names and addresses of an account, or its title and department."`
	Password userPasswordCommand `cmd:"" help:"Set an account's password."`
	Add      userAddCommand      `cmd:"" help:"Add an existing account to an organization." example:"signet user add ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A --title Nurse"`
	Export   userExportCommand   `cmd:"" help:"Save an archive of an account's data."`
	Disable  userDisableCommand  `cmd:"" help:"Disable an account without losing anything." note:"Its keys, sign-ins and password give no access until it is enabled; its messages go on being queued." example:"signet user disable ann@example.com"`
	Enable   userEnableCommand   `cmd:"" help:"Enable an account that was disabled." example:"signet user enable ann@example.com"`
	Erase    userEraseCommand    `cmd:"" help:"Erase an account for good, with what it sent and received."`
	Remove   userRemoveCommand   `cmd:"" help:"Remove an account from an organization." note:"It leaves the organization's groups, and its keys stop working there at once." example:"signet user remove ann@example.com --org Hq3nVt0cXz8Lw2RbKd5mYp7A"`
}

type userCreateCommand struct {
	access
	Org          string   `required:"" placeholder:"TOKEN" help:"Organization that receives the account."`
	Username     string   `placeholder:"NAME" help:"Username: 1 to 64 letters, digits, dots, dashes or underscores."`
	Email        []string `placeholder:"ADDRESS" help:"E-mail address; may be repeated."`
	Phone        []string `placeholder:"NUMBER" help:"Telephone number; may be repeated."`
	FirstName    string   `help:"First name."`
	LastName     string   `help:"Last name."`
	DisplayName  string   `placeholder:"NAME" help:"What people see; if left out, it is made from the other names."`
	Title        string   `help:"Title in the organization."`
	Department   string   `help:"Department in the organization."`
	PasswordFile string   `placeholder:"FILE" help:"File with the account's password; - is standard input."`
	IssueKey     bool     `help:"Issue a regular key, and print it with its secret, which is shown this once."`
}

func (userCreateCommand) Help() string {
	return `One of --username, --email and --phone is needed. An address that somebody already has is refused: in
this case use "signet user add".

Example:

  signet user create --org Hq3nVt0cXz8Lw2RbKd5mYp7A --email ann@example.com --display-name "Ann Lee" --issue-key`
}

func (u *userCreateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	password, err := con.readPassword(u.PasswordFile)
	if err != nil {
		return err
	}
	created, err := c.CreateUser(ctx, u.Org, client.NewUser{
		FirstName: u.FirstName, LastName: u.LastName, DisplayName: u.DisplayName, Username: u.Username, Emails: u.Email,
		Phones: u.Phone, Password: password, Title: u.Title, Department: u.Department, IssueKey: u.IssueKey,
	})
	return show(con, created, err, func(u *client.CreatedUser) []string {
		if u.APIKey == "" {
			return []string{u.Token}
		}
		return []string{cells("token", u.Token), cells("api_key", u.APIKey), cells("api_secret", u.APISecret)}
	})
}

type userLookupCommand struct {
	access
	Address string `arg:"" help:"E-mail address, telephone number, username or token."`
}

func (u *userLookupCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	user, err := c.LookupUser(ctx, u.Address)
	return show(con, user, err, userLines)
}

type userShowCommand struct {
	access
	within
	User string `arg:"" optional:"" default:"me" help:"Account, by token, e-mail, phone or username; without one, the caller's."`
}

func (u *userShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	user, err := c.In(u.Org).User(ctx, u.User)
	return show(con, user, err, userLines)
}

// userLines shows an account; what it does not have is left out.
func userLines(u *client.User) []string {
	lines := []string{cells("token", u.Token), cells("name", u.DisplayName)}
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, cells(name, value))
		}
	}
	add("username", u.Username)
	for _, e := range u.Emails {
		add("email", e.Address)
	}
	for _, p := range u.Phones {
		add("phone", p.Number)
	}
	add("organization", u.OrganizationToken)
	add("title", u.Title)
	add("department", u.Department)
	add("status", u.Status)
	if u.DND {
		add("do not disturb", strings.TrimSpace("yes "+u.DNDText))
	}
	if u.Disabled {
		add("disabled", "yes")
	}
	add("created", moment(u.CreatedTime))
	return lines
}

type userUpdateCommand struct {
	access
	FirstName   *string `help:"First name."`
	LastName    *string `help:"Last name."`
	DisplayName *string `placeholder:"NAME" help:"What people see."`
	Status      *string `placeholder:"TEXT" help:"Any text."`
	DND         *bool   `name:"dnd" negatable:"" help:"Do not disturb."`
	DNDText     *string `name:"dnd-text" placeholder:"TEXT" help:"What others read while --dnd is set."`
	Avatar      string  `placeholder:"FILE" help:"Picture: PNG, JPEG, GIF or WebP of up to 2 MiB."`
}

func (u *userUpdateCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	avatar, closeFile, err := con.upload(u.Avatar, "")
	if err != nil {
		return err
	}
	defer closeFile()
	return c.UpdateProfile(ctx, client.Profile{FirstName: u.FirstName, LastName: u.LastName, DisplayName: u.DisplayName,
		Status: u.Status, DND: u.DND, DNDText: u.DNDText, Avatar: avatar})
}

type userSetCommand struct {
	access
	within
	User        string   `arg:"" help:"Account, by token, e-mail, phone or username."`
	FirstName   *string  `help:"First name."`
	LastName    *string  `help:"Last name."`
	DisplayName *string  `placeholder:"NAME" help:"What people see."`
	Username    *string  `placeholder:"NAME" help:"Username; an empty one removes it."`
	Email       []string `placeholder:"ADDRESS" help:"E-mail address; may be repeated. They replace all that the account has."`
	Phone       []string `placeholder:"NUMBER" help:"Telephone number; may be repeated. They replace all that the account has."`
	Title       *string  `help:"Title in the organization."`
	Department  *string  `help:"Department in the organization."`
}

func (userSetCommand) Help() string {
	return `What is not given stays as it is. Names and addresses are for operators, and for administrators of the
organization that created the account, while it is in no other. Title and department are for administrators of
the organization that --org names. With "signet user update" an account changes its own profile.

Example:

  signet user set ann@example.com --display-name "Ann Lee" --org Hq3nVt0cXz8Lw2RbKd5mYp7A --title "Head nurse"`
}

func (u *userSetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	change := client.PersonChange{FirstName: u.FirstName, LastName: u.LastName, DisplayName: u.DisplayName,
		Username: u.Username, Title: u.Title, Department: u.Department}
	if u.Email != nil {
		change.Emails = &u.Email
	}
	if u.Phone != nil {
		change.Phones = &u.Phone
	}
	user, err := c.In(u.Org).UpdateUser(ctx, u.User, change)
	return show(con, user, err, userLines)
}

type userPasswordCommand struct {
	access
	User            string `arg:"" optional:"" default:"me" help:"Account; without one, the caller's."`
	PasswordFile    string `required:"" placeholder:"FILE" help:"File with the new password; - is standard input."`
	OldPasswordFile string `placeholder:"FILE" help:"File with the old password: to change one's own."`
}

func (userPasswordCommand) Help() string {
	return `It ends the password sign-ins of the account's other devices. Passwords come from files, so that no
list of processes shows them.

Example:

  signet user password ann@example.com --password-file new.txt`
}

func (u *userPasswordCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	old, err := con.readPassword(u.OldPasswordFile)
	if err != nil {
		return err
	}
	password, err := con.readPassword(u.PasswordFile)
	if err != nil {
		return err
	}
	return c.SetPassword(ctx, u.User, old, password)
}

type userAddCommand struct {
	access
	User       string `arg:"" help:"Account, by token, e-mail, phone or username."`
	Org        string `required:"" placeholder:"TOKEN" help:"Organization to add it to."`
	Title      string `help:"Title in the organization."`
	Department string `help:"Department in the organization."`
}

func (u *userAddCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	pending, err := c.AddToOrganization(ctx, u.User, u.Org,
		client.Membership{Title: u.Title, Department: u.Department})
	if pending {
		con.note("pending: the account, or the organization that created it, has to agree")
	}
	return err
}

type userRemoveCommand struct {
	access
	User string `arg:"" help:"Account, by token, e-mail, phone or username."`
	Org  string `required:"" placeholder:"TOKEN" help:"Organization to remove it from."`
}

func (u *userRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RemoveFromOrganization(ctx, u.User, u.Org)
}

// oneUser names an account.
type oneUser struct {
	access
	User string `arg:"" help:"Account, by token, e-mail, phone or username."`
}

type userDisableCommand struct{ oneUser }

func (u *userDisableCommand) Run(ctx context.Context, c *client.Client) error {
	return c.DisableUser(ctx, u.User)
}

type userEnableCommand struct{ oneUser }

func (u *userEnableCommand) Run(ctx context.Context, c *client.Client) error {
	return c.EnableUser(ctx, u.User)
}
