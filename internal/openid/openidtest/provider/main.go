// Command provider is a provider of OpenID Connect for tests: zitadel/oidc's server, with its example of a store and of
// pages to sign in. It listens on the loopback address, and ends when its standard input does.
//
// The first line of its input says, as JSON, on which address it listens, where people may be sent back to, and who
// they are. It writes "ready" once it listens.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// asked is what the first line says.
type asked struct {
	Address   string
	ClientID  string
	Secret    string
	Redirects []string
	People    map[string]*storage.User // by their ids
}

// people are those who may sign in.
type people map[string]*storage.User

func (p people) GetUserByID(id string) *storage.User { return p[id] }

func (p people) GetUserByUsername(name string) *storage.User {
	for _, one := range p {
		if one.Username == name {
			return one
		}
	}
	return nil
}

// ExampleClientID is asked for by an example of the library that nothing here uses.
func (people) ExampleClientID() string { return "" }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "provider:", err)
		os.Exit(1)
	}
}

func run() error {
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadString('\n')
	if err != nil {
		return fmt.Errorf("read who may sign in: %w", err)
	}
	var a asked
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return fmt.Errorf("read who may sign in: %w", err)
	}
	storage.RegisterClients(storage.WebClient(a.ClientID, a.Secret, a.Redirects...))
	kept := storage.NewStorage(people(a.People))
	router := exampleop.SetupServer("http://"+a.Address, kept, slog.New(slog.NewTextHandler(os.Stderr, nil)), false)
	listener, err := net.Listen("tcp", a.Address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: router, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	fmt.Println("ready")
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
