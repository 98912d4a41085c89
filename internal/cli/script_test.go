package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// scriptCommands are what the scripts have besides those of testscript.
var scriptCommands = map[string]func(*testscript.TestScript, bool, []string){
	"serve":  serveScript,
	"halt":   stopScript, // testscript has a "stop" of its own, which ends the script
	"keep":   keepScript,
	"tamper": tamperScript,
	"damage": damageScript,
	"latin":  latinScript,
}

// latinScript writes a file anew in ISO-8859-1.
func latinScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: latin file")
	}
	var out []byte
	for _, r := range ts.ReadFile(args[0]) {
		out = append(out, byte(r))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o600))
}

// running is the key of the server that a script runs.
type running struct{}

// prepareScript gives a script room for a server.
func prepareScript(env *testscript.Env) error {
	env.Values[running{}] = new(*exec.Cmd)
	return nil
}

// serveScript starts "signet serve" on the script's ./data, with further flags, and
// goes on once it listens.
func serveScript(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value(running{}).(**exec.Cmd)
	if neg || *server != nil {
		ts.Fatalf("usage: serve [flags], once at a time")
	}
	command := exec.Command("signet", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	command.Dir = ts.MkAbs(".")
	log, err := os.OpenFile(ts.MkAbs("server.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	ts.Check(err)
	defer log.Close()
	command.Stderr = log
	out, err := command.StdoutPipe()
	ts.Check(err)
	ts.Check(command.Start())
	*server = command
	ts.Defer(func() {
		if *server == command { // the script ended without stopping it
			_ = command.Process.Kill()
			_ = command.Wait()
		}
	})
	for lines, told := bufio.NewScanner(out), 0; told < 2; told++ {
		if !lines.Scan() {
			ts.Fatalf("the server ended: %s", ts.ReadFile("server.log"))
		}
	}
}

// stopScript ("halt") stops the server as a service manager does.
func stopScript(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value(running{}).(**exec.Cmd)
	if neg || len(args) > 0 || *server == nil {
		ts.Fatalf("usage: halt, of a server that runs")
	}
	command := *server
	*server = nil
	ts.Check(command.Process.Signal(os.Interrupt))
	if err := command.Wait(); err != nil {
		ts.Fatalf("the server stopped with %v:\n%s", err, ts.ReadFile("server.log"))
	}
}

// keepScript keeps what the last command printed in a variable.
func keepScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// tamperScript changes the database behind the server's back.
func tamperScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tamper STATEMENT")
	}
	conn, err := sqlite.OpenConn(filepath.Join(ts.MkAbs("data"), "signet.db"), sqlite.OpenReadWrite)
	ts.Check(err)
	defer conn.Close()
	ts.Check(sqlitex.ExecuteTransient(conn, args[0], nil))
}

// middleOfAttachment is where in an archive the middle of its first attachment is.
func middleOfAttachment(ts *testscript.TestScript, archive []byte) int {
	left := bytes.NewReader(archive)
	for entries := tar.NewReader(left); ; {
		entry, err := entries.Next()
		ts.Check(err)
		if strings.Contains(entry.Name, "blobs/") && entry.Size > 0 {
			return len(archive) - left.Len() + int(entry.Size/2)
		}
	}
}

// damageScript changes a byte of a file, or of the first in a directory. Of an archive it
// is one of the last file in it but two.
func damageScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	path := ts.MkAbs(args[0])
	_ = filepath.WalkDir(path, func(found string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			path, err = found, filepath.SkipAll
		}
		return err
	})
	content := []byte(ts.ReadFile(path))
	at := len(content) / 2
	if strings.HasSuffix(path, ".tar") {
		at = middleOfAttachment(ts, content)
	}
	content[at] ^= 1
	ts.Check(os.WriteFile(path, content, 0o600))
}
