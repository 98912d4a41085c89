package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"syscall"

	"signet/internal/access"
	"signet/internal/home"
	"signet/internal/people"
	"signet/web"
)

// preparedFile is for an account that is yet to be made.
const preparedFile = home.OperatorFile + ".prepared"

// introduceOperator makes the operator account where there is none, and tells
// operator.json where the server is. It returns the path of the file, or ""
// where it does not hold the credentials of the account: the file was taken away, or
// another server on the same database made the account.
//
// The credentials are on disk before the account is made: after a crash in
// between, the next start makes the account with them. The other way round there
// would be an account to which nobody has the key. They lie in a file of their own
// until it is certain that they are those of the account, so that operator.json
// never holds others.
func introduceOperator(ctx context.Context, dir, baseURL string, system *system,
	log *slog.Logger) (string, error) {
	path, preparedPath := filepath.Join(dir, home.OperatorFile), filepath.Join(dir, preparedFile)
	if err := home.ClearRemains(dir); err != nil {
		log.Warn("what a killed command left of an operator's file is still there", "error", err)
	}
	fields, err := home.ReadCredentials(path)
	if err != nil {
		// The server itself needs the file for its first start only.
		if exists, fault := system.operatorExists(ctx); fault != nil || !exists {
			return "", errors.Join(err, fault)
		}
		log.Warn("operator.json is of no use to this server, nor to commands on this machine; the server goes on",
			"error", err, "advice", "give it to the server's user, or run signet operator reset")
		return "", nil
	}
	prepared, err := home.ReadCredentials(preparedPath)
	if err != nil {
		return "", err
	}
	exists, err := system.operatorExists(ctx)
	if err != nil {
		return "", fmt.Errorf("look for an operator account: %w", err)
	}
	ours := !exists
	if !exists || prepared != nil {
		made, err := makeOperator(ctx, preparedPath, fields, prepared, system.firstOperator)
		switch {
		case err == nil:
			ours = true
			if fields == nil {
				fields = home.Credentials{}
			}
			fields.Set(home.FieldKey, made.Text(home.FieldKey))
			fields.Set(home.FieldSecret, made.Text(home.FieldSecret))
		case !errors.Is(err, people.ErrOperatorExists):
			return "", err
		case !exists:
			log.Info("another server on the same database made the operator account; its credentials are in that server's " +
				"data directory")
			return "", os.Remove(preparedPath)
		default: // the prepared credentials are useless
			if err := os.Remove(preparedPath); err != nil {
				return "", err
			}
		}
	}
	if fields == nil {
		log.Info("there is an operator account, whose credentials are not in the data directory", "missing", path)
		return "", nil
	}
	fields.Set(home.FieldBaseURL, baseURL)
	err = fields.Write(path)
	if errors.Is(err, syscall.ENOSPC) && !ours {
		log.Warn("operator.json says the base URL of the last start: there was no room to write it anew", "error", err)
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	if !ours {
		return path, nil
	}
	log.Info("made the operator account", "credentials", path)
	return path, os.Remove(preparedPath)
}

// offersLink reports whether a browser on this machine gets a session from this server, by
// plain HTTP, and whether this server has the operator's credentials.
func (a *App) offersLink() bool {
	at, err := url.Parse(a.baseURL)
	if err != nil || at.Scheme != "http" || !a.cfg.Web.Pages || !web.HasConsole() || a.operator == "" ||
		a.system.firstLink == nil {
		return false
	}
	address, err := netip.ParseAddr(at.Hostname())
	return at.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// firstLink makes the link of a first start. The secret is in the fragment, which a browser
// sends to no server, so that it lands in no log.
func (a *App) firstLink(ctx context.Context) (string, error) {
	secret, err := a.system.firstLink(ctx)
	if err != nil || secret == "" {
		return "", err
	}
	return a.baseURL + "/console#first=" + secret, nil
}

// makeOperator makes the operator account: with the credentials that operator.json
// holds, if it does, or those of a start that was interrupted, or new ones.
func makeOperator(ctx context.Context, preparedPath string, given, prepared home.Credentials,
	first func(ctx context.Context, key, secret string) error) (home.Credentials, error) {
	made := home.Credentials{}
	key, secret := access.NewCredentials()
	for _, earlier := range []home.Credentials{prepared, given} {
		if k, s := earlier.Text(home.FieldKey), earlier.Text(home.FieldSecret); k != "" && s != "" {
			key, secret = k, s
		}
	}
	made.Set(home.FieldKey, key)
	made.Set(home.FieldSecret, secret)
	if err := made.Write(preparedPath); err != nil {
		return nil, fmt.Errorf("write %s: %w", preparedPath, err)
	}
	if err := first(ctx, key, secret); err != nil {
		return nil, fmt.Errorf("make the operator account: %w", err)
	}
	return made, nil
}
