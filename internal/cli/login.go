package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"signet/client"
	"signet/internal/commandline"
)

// loginPatience is how long somebody may take to sign in at the provider: as long as the server waits.
const loginPatience = 10 * time.Minute

type loginCommand struct {
	commandline.Access
	Email    string `arg:"" optional:"" help:"E-mail address, whose domain tells the provider."`
	Provider string `placeholder:"ID" help:"The provider, in place of an address: the token of its organization."`
	Server   string `placeholder:"URL" help:"Server to sign in to [SIGNET_URL, or that of operator.json]."`
	Device   string `default:"signet" placeholder:"NAME" help:"What the key is for: it takes the place of the last one for the same device."`
}

func (loginCommand) Help() string {
	return `It prints the address of a page to open in a browser on this machine, waits until somebody has signed in there,
and prints a key as a shell takes it:

    eval "$(signet login ann@example.com --server https://signet.example.com)"

With --json it prints what operator.json has. "signet key revoke" ends the key.`
}

// Run signs in by a browser, which brings a code to this machine (RFC 8252).
func (l *loginCommand) Run(ctx context.Context, con *console) error {
	base := cmp.Or(l.Server, con.env.Variable(commandline.URLVariable))
	if base == "" {
		file, err := l.Operator(con.env)
		if err != nil {
			return fmt.Errorf("name the server with --server: %w", err)
		}
		base = file.BaseURL
	}
	provider, err := l.provider(ctx, base)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the browser: %w", err)
	}
	begun, err := client.BeginBrowserSignIn(base, provider, listener.Addr().(*net.TCPAddr).Port)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(con.stderr, "Open this page in a browser on this machine, and sign in:\n%s\n", begun.URL)
	code, err := awaitBrowser(ctx, listener, begun.State)
	if err != nil {
		return err
	}
	c, session, err := begun.Finish(ctx, code, l.Device)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // only drops idle connections
	return con.printCredentials(commandline.Credentials{BaseURL: strings.TrimSuffix(c.BaseURL(), "/v2"),
		Key: session.Auth.Key, Secret: session.Auth.Secret})
}

// provider finds the provider of the address.
func (l *loginCommand) provider(ctx context.Context, base string) (string, error) {
	if l.Provider != "" {
		return l.Provider, nil
	}
	all, err := client.Providers(ctx, base, l.Email)
	switch {
	case err != nil:
		return "", err
	case len(all) == 1:
		return all[0].ID, nil
	case l.Email == "":
		return "", errors.New("name an e-mail address, or a provider with --provider")
	}
	return "", fmt.Errorf("nobody signs in at %s with a provider for the domain of %s", base,
		commandline.Plain(l.Email))
}

// printCredentials prints a key as a shell takes it, or as operator.json has it.
func (c *console) printCredentials(k commandline.Credentials) error {
	return show(c, k, nil, func(k commandline.Credentials) []string {
		return []string{"export SIGNET_URL=" + shellWord(k.BaseURL), "export SIGNET_API_KEY=" + shellWord(k.Key),
			"export SIGNET_API_SECRET=" + shellWord(k.Secret)}
	})
}

// shellWord is a text as a shell takes it for itself.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// awaitBrowser waits until a browser brings a code with the state, and closes the listener. What comes without it, is
// of somebody else.
func awaitBrowser(ctx context.Context, listener net.Listener, state string) (code string, err error) {
	ctx, cancel := context.WithTimeout(ctx, loginPatience)
	defer cancel()
	codes := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Referrer-Policy", "no-referrer")
			if r.Method != http.MethodGet || r.URL.Path != "/" || query.Get("state") != state || query.Get("code") == "" {
				http.Error(w, "This is not the sign-in that was begun here.", http.StatusNotFound)
				return
			}
			fmt.Fprintln(w, "You are signed in. Close this page, and go back to the terminal.")
			select {
			case codes <- query.Get("code"):
			default: // it was brought before
			}
		})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case code = <-codes:
	case <-ctx.Done():
		err = fmt.Errorf("nobody has signed in: %w", ctx.Err())
	}
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	if fault := server.Shutdown(last); fault != nil { // so that the browser gets its page
		_ = server.Close()
	}
	<-ended
	return code, err
}
