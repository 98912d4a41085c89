package testenv

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Keeper is a process that keeps a server for tests. It takes a command a line, and ends
// with the server and its files when nobody is left to give it one, also where the tests
// were killed.
type Keeper struct {
	mu       sync.Mutex // guards the two below: a command and its answer
	commands *os.File
	answers  *bufio.Reader
}

// StartKeeper runs a command that keeps a server, and returns once it runs. The command says
// "done" when the server has started and after each command; or what went wrong, and
// "failed".
func StartKeeper(command *exec.Cmd) (*Keeper, error) {
	command.Dir = os.TempDir()
	in, commands, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), commands.Close())
	}
	command.Stdin, command.Stdout, command.Stderr = in, out, out
	err = command.Start()
	in.Close()
	out.Close()
	k := &Keeper{commands: commands, answers: bufio.NewReader(answers)}
	if err == nil {
		err = k.answer()
	}
	if err != nil {
		commands.Close()
		return nil, err
	}
	return k, nil
}

// Must gives a command, and returns when it is carried out.
func (k *Keeper) Must(t testing.TB, command string) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := fmt.Fprintln(k.commands, command)
	if err == nil {
		err = k.answer()
	}
	if err != nil {
		t.Fatalf("%s the server: %v", command, err)
	}
}

// answer waits until a command is carried out.
func (k *Keeper) answer() error {
	var said []string
	for {
		line, err := k.answers.ReadString('\n')
		switch line = strings.TrimSpace(line); {
		case line == "done":
			return nil
		case line == "failed":
			return errors.New(strings.Join(said, "\n"))
		case err != nil:
			return fmt.Errorf("%w\n%s", err, strings.Join(said, "\n"))
		}
		said = append(said, line)
	}
}

// Close lets the keeper end.
func (k *Keeper) Close() error { return k.commands.Close() }

// FreeAddress returns an address that nobody listens on. Its port is none of those that systems hand out to whoever
// asks for any, or calls somebody: so nobody gets it before it is used, nor while a server that has it starts again.
func FreeAddress() (address string, err error) {
	for range 100 {
		address = net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.N(20_000)))
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", err
}
