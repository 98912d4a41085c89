package app

import (
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dialers are the packages that can open a connection, and to whom. Whom a caller names is called by
// internal/egress alone, and whoever calls that has its client, and none of its own.
var dialers = map[string]string{
	"internal/egress":         "the guard: hosts that callers name, as far as egress.push, .webhooks and .issuers allow",
	"internal/blob":           "the bucket that blobs names",
	"internal/store/postgres": "the database that database names",
	"internal/seal/pgring":    "the databases that keyring and keyring.copy name",
	"internal/live/pgbus":     "the database that database names",
	"internal/live/natsbus":   "the servers that nats names",
	"internal/trace/otlp":     "the collector that tracing.endpoint names",
	"internal/transport":      "the authority that acme.directory names",
	"internal/standby":        "the other server of a pair, which standby_of and standby.peer name",
	"internal/handover":       "the program before, on a socket of the data directory",
	"internal/systemd":        "systemd, on the socket that it names",

	// What the server does not run: commands, which call where whoever types them says, and tools.
	"client":           "a server, for commands, the load generator and tests",
	"internal/cli":     "a server, for commands: its health, its address, what the doctor finds",
	"internal/load":    "a server, for the load generator",
	"internal/testenv": "what a test listens on",
	"web/tests/stage":  "the server behind the stage, in tests of the pages",
}

// dialing are the names by which the standard library, and the libraries that connect by themselves, open
// connections, or look up names, by the name of their packages.
var dialing = map[string][]string{
	"http": {"Get", "Head", "Post", "PostForm", "Client", "DefaultClient", "Transport", "DefaultTransport"},
	"net": {"Dial", "DialTimeout", "Dialer", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Resolver", "DefaultResolver",
		"LookupHost", "LookupIP", "LookupAddr", "LookupCNAME", "LookupMX", "LookupNS", "LookupSRV", "LookupTXT"},
	"tls":       {"Dial", "Dialer", "DialWithDialer"},
	"smtp":      {"Dial", "SendMail"},
	"rpc":       {"Dial", "DialHTTP"},
	"websocket": {"Dial"},
	"pgx":       {"Connect", "ConnectConfig"},
	"pgconn":    {"Connect", "ConnectConfig"},
	"pgxpool":   {"New", "NewWithConfig"},
	"nats":      {"Connect"},
	"minio":     {"New", "NewCore"},
	"acme":      {"Client"},
	"autocert":  {"Manager", "NewListener"},
}

// Nothing but what is listed makes what opens a connection: not of the standard library, nor of another. What a
// caller names goes through the guard (internal/egress), whose client others may hold.
func TestEveryDialerIsKnown(t *testing.T) {
	d := mustParseModule(t)
	forTests := map[string]bool{} // files that are for tests only
	for _, file := range sourceFiles(t) {
		forTests[filepath.ToSlash(file.path)] = file.test
	}
	found := map[string]bool{}
	looked := 0
	for _, file := range d.files {
		name := filepath.ToSlash(file.path)
		room := path.Dir(name)
		if forTests[name] && dialers[room] == "" {
			continue
		}
		looked++
		held := map[ast.Expr]bool{} // of a pointer's type: whoever has one did not make it
		ast.Inspect(file.File, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok {
				held[star.X] = true
			}
			selector, ok := n.(*ast.SelectorExpr)
			if !ok || held[selector] && !strings.HasPrefix(selector.Sel.Name, "Default") {
				return true
			}
			pkg, ok := selector.X.(*ast.Ident)
			if !ok || !slices.Contains(dialing[pkg.Name], selector.Sel.Name) || !imports(file.File, pkg.Name) {
				return true
			}
			found[room] = true
			if dialers[room] == "" {
				t.Errorf("%s uses %s.%s, and %s is not among those that may dial", name, pkg.Name, selector.Sel.Name, room)
			}
			return true
		})
	}
	for _, room := range slices.Sorted(maps.Keys(dialers)) {
		if !found[room] {
			t.Errorf("%s is among those that may dial, and does not", room)
		}
	}
	if looked < 500 {
		t.Errorf("looked at %d files", looked)
	}
}

// imports reports whether a file imports a package under a name.
func imports(file *ast.File, name string) bool {
	for _, spec := range file.Imports {
		imported := strings.Trim(spec.Path.Value, `"`)
		switch {
		case spec.Name != nil:
			if spec.Name.Name == name {
				return true
			}
		case slices.ContainsFunc([]string{path.Base(imported), path.Base(path.Dir(imported))}, func(base string) bool {
			return base == name || strings.HasPrefix(base, name+".") || strings.HasPrefix(base, name+"-")
		}):
			return true // .../pgx/v5, nats.go, minio-go/v7
		}
	}
	return false
}
