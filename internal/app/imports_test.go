package app

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modulePath is the import path of the project, and moduleRoot where it is from
// here.
const (
	modulePath = "signet"
	moduleRoot = "../.."
)

// layer is what one package may import of the others.
type layer struct {
	room string
	may  []string
}

// mayImport says which packages of the project each package may import, the
// outermost first: a package names only packages below its own line. It is the
// picture of docs/architecture.md ("Rooms"), and changes together with it.
var mayImport = []layer{
	{"cmd/signet", []string{"internal/cli"}},
	{"cmd/signet-bench", []string{"internal/benchcli"}},
	{"bench", nil},
	{"internal/e2e", nil}, // tests only, of the built program
	{"internal/e2e/patronitest", nil},
	{"internal/clientreplay", nil},
	{"docs", nil}, // tests only, of the documents
	{"docs/api", nil},
	{"deploy", nil},
	{"deploy/grafana/boards", nil}, // writes the boards; knows the metrics' names
	{"web/tests/stage", []string{"internal/app/apptest", "internal/store/enginetest", "internal/testenv",
		"openapi/openapitest"}}, // what the tests of the pages play on
	{"internal/app/apptest", nil},
	{"internal/testenv/report", nil},  // of the tests that were run
	{"internal/testenv/commits", nil}, // a check of the commits' messages
	{"internal/cli", []string{
		"internal/app", "internal/systemd", "internal/handover", "internal/doctor", "internal/offline",
		"internal/succession", "internal/standby", "internal/home", "internal/transfer", "internal/durable",
		"internal/config", "internal/commandline", "internal/build", "internal/completion", "internal/manual",
		"internal/licenses", "internal/spreadsheet", "internal/model", "client",
	}},
	{"internal/benchcli", []string{"internal/load", "internal/commandline", "internal/build", "client"}},
	{"internal/commandline", []string{"internal/span"}},
	{"internal/app", []string{
		"internal/transport", "internal/handover", "internal/systemd", "internal/api", "internal/api/output",
		"internal/stream", "internal/succession", "internal/standby", "internal/home",
		"internal/webhook", "internal/identity", "internal/alert", "internal/api/wire", "internal/service",
		"internal/passkey", "internal/access", "internal/people", "internal/overview", "internal/export", "internal/sweep",
		"internal/series", "internal/fanout", "internal/backlog", "internal/push", "internal/egress",
		"internal/content", "internal/custody", "internal/transfer", "internal/store/postgres", "internal/store/sqlite",
		"internal/store/presence", "internal/store", "internal/store/schema", "internal/brand",
		"internal/live/natsbus", "internal/live/pgbus", "internal/live/link", "internal/live", "internal/audit",
		"internal/seal", "internal/blob", "internal/durable", "internal/disk", "internal/health", "internal/meter",
		"internal/tally", "internal/clock", "internal/config", "internal/build", "internal/model", "web",
		"internal/trace/otlp", "internal/trace",
	}},
	{"internal/doctor", []string{
		"internal/offline", "internal/succession", "internal/home", "internal/transfer", "internal/custody",
		"internal/store/postgres", "internal/store/sqlite", "internal/store", "internal/live/natsbus",
		"internal/live/pgbus", "internal/seal/pgring", "internal/seal", "internal/blob", "internal/durable",
		"internal/disk", "internal/clock", "internal/config",
	}},
	{"internal/offline", []string{
		"internal/succession", "internal/home", "internal/api/wire", "internal/people", "internal/export", "internal/access",
		"internal/sweep", "internal/fanout", "internal/backlog", "internal/content", "internal/custody",
		"internal/transfer", "internal/store/postgres", "internal/store/sqlite", "internal/store/auditlog",
		"internal/store/erasure", "internal/store/metadata", "internal/store/notes", "internal/store/presence",
		"internal/store/sealing", "internal/store/overview", "internal/store", "internal/live", "internal/audit",
		"internal/seal", "internal/blob", "internal/durable", "internal/brand", "internal/config", "internal/model",
		"internal/trace/otlp",
	}},
	{"internal/succession", []string{"internal/home", "internal/standby", "internal/audit", "internal/store/sqlite",
		"internal/store", "internal/seal", "internal/blob", "internal/disk", "internal/durable", "internal/config",
		"internal/model"}},
	{"internal/standby", []string{"internal/store/sqlite", "internal/store", "internal/seal", "internal/blob",
		"internal/model"}},
	{"internal/home", []string{
		"internal/custody", "internal/content", "internal/store", "internal/audit", "internal/seal/pgring", "internal/seal",
		"internal/durable",
		"internal/config",
	}},
	{"internal/transport", []string{"internal/model"}},
	{"internal/handover", nil},
	{"internal/systemd", nil},
	{"internal/api", []string{
		"internal/api/guard", "internal/api/input", "internal/api/sink", "internal/api/output", "internal/api/wire",
		"internal/webhook", "internal/identity", "internal/alert", "internal/stream", "internal/service",
		"internal/people", "internal/push",
		"internal/overview", "internal/export", "internal/passkey",
		"internal/fanout", "internal/access", "internal/content",
		"internal/search", "internal/large",
		"internal/audit", "internal/store/rota", "internal/store", "internal/health", "internal/brand", "internal/tally",
		"internal/duty", "internal/scim", "internal/model", "internal/trace", "openapi",
	}},
	{"internal/api/guard", []string{"internal/model"}},
	{"internal/api/input", []string{"internal/model"}},
	{"internal/api/sink", []string{"internal/api/output", "internal/api/wire", "internal/store/auditlog", "internal/live",
		"internal/model"}},
	{"internal/api/output", []string{"internal/api/wire", "internal/model"}},
	{"internal/api/wire", []string{"internal/identity", "internal/model", "internal/service", "internal/store"}},
	{"internal/transfer", []string{"internal/store/postgres", "internal/store/sqlite",
		"internal/store/tablecopy", "internal/store", "internal/blob",
		"internal/durable", "internal/model"}},
	{"internal/stream", []string{
		"internal/service", "internal/access", "internal/custody", "internal/audit", "internal/store/auditlog",
		"internal/store/presence", "internal/store", "internal/live", "internal/large", "internal/health",
		"internal/model", "internal/trace",
	}},
	{"internal/alert", []string{"internal/service", "internal/store", "internal/model"}},
	{"internal/webhook", []string{
		"internal/service", "internal/access", "internal/backlog", "internal/content", "internal/store", "internal/live",
		"internal/health", "internal/model",
	}},
	{"internal/identity", []string{
		"internal/people", "internal/access", "internal/openid", "internal/content", "internal/audit", "internal/store",
		"internal/live", "internal/model",
	}},
	{"internal/openid/openidtest", nil},          // for tests only
	{"internal/openid/openidtest/provider", nil}, // a module of its own, for them
	{"internal/openid", []string{"internal/model"}},
	{"internal/export", []string{
		"internal/service", "internal/access", "internal/content", "internal/store/auditlog",
		"internal/store/legalhold", "internal/store/overview", "internal/store/provision", "internal/store/rota",
		"internal/audit", "internal/store", "internal/blob", "internal/model",
	}},
	{"internal/push", []string{
		"internal/access", "internal/backlog", "internal/egress", "internal/webpush", "internal/store/subscriptions",
		"internal/store", "internal/meter", "internal/model",
	}},
	{"internal/service/metamorphic", nil}, // tests only
	{"internal/service", []string{
		"internal/access", "internal/fanout", "internal/backlog", "internal/cache", "internal/search",
		"internal/continuation", "internal/large", "internal/custody", "internal/content", "internal/store/auditlog",
		"internal/store/erasure", "internal/store/escalation", "internal/store/metadata", "internal/store/notes",
		"internal/store/piecework", "internal/meter", "internal/store/quota", "internal/store/rota",
		"internal/store/sealing", "internal/store/threads", "internal/store/searchindex",
		"internal/store", "internal/live", "internal/audit", "internal/seal", "internal/blob", "internal/disk",
		"internal/tally", "internal/duty", "internal/scim", "internal/model",
	}},
	{"internal/people", []string{
		"internal/access", "internal/fanout", "internal/search", "internal/content", "internal/store/auditlog",
		"internal/store/erasure", "internal/store/legalhold", "internal/store/overview", "internal/store/piecework",
		"internal/store/provision", "internal/store/rota", "internal/store/searchindex", "internal/store", "internal/live",
		"internal/audit", "internal/scim", "internal/model",
	}},
	{"internal/overview", []string{"internal/access", "internal/search", "internal/series", "internal/continuation",
		"internal/audit",
		"internal/store/overview", "internal/store/provision", "internal/store/searchindex", "internal/store",
		"internal/health", "internal/config", "internal/model"}},
	{"internal/access", []string{
		"internal/passkey", "internal/cache", "internal/audit", "internal/store/erasure", "internal/store/quota",
		"internal/store/rota", "internal/store/searchindex", "internal/store", "internal/live", "internal/tally",
		"internal/model",
	}},
	{"internal/passkey/passkeytest", nil}, // for tests only
	{"internal/passkey", []string{"internal/model"}},
	{"internal/search", []string{"internal/continuation", "internal/store/searchindex", "internal/store",
		"internal/model"}},
	{"internal/sweep", []string{
		"internal/fanout", "internal/backlog", "internal/custody", "internal/content", "internal/audit",
		"internal/store/erasure", "internal/store/escalation", "internal/store/legalhold", "internal/store/metadata",
		"internal/store/notes", "internal/store/piecework", "internal/store/presence", "internal/store/quota",
		"internal/store/sealing", "internal/store/overview", "internal/store/authorship",
		"internal/store/searchindex", "internal/store", "internal/seal", "internal/blob", "internal/disk",
		"internal/health", "internal/meter", "internal/model", "internal/trace",
	}},
	{"internal/series", []string{"internal/backlog", "internal/store/overview", "internal/store/series",
		"internal/store", "internal/health", "internal/tally", "internal/model"}},
	{"internal/fanout", []string{
		"internal/backlog", "internal/content", "internal/store/piecework", "internal/store", "internal/live",
		"internal/disk", "internal/model",
	}},
	{"internal/backlog", []string{"internal/store", "internal/disk", "internal/health", "internal/trace"}},
	{"internal/custody", []string{
		"internal/content", "internal/audit", "internal/store/metadata", "internal/store/notes", "internal/store",
		"internal/seal", "internal/blob", "internal/health", "internal/clock", "internal/model",
	}},
	{"internal/audit", []string{
		"internal/store/auditlog", "internal/store/quota", "internal/store", "internal/cache", "internal/health",
		"internal/model",
	}},
	{"internal/content", []string{
		"internal/store/metadata", "internal/store/notes", "internal/store/sealing", "internal/store",
		"internal/seal", "internal/blob", "internal/model",
	}},
	{"internal/disk", []string{"internal/health"}},
	{"internal/health", []string{"internal/store", "internal/seal", "internal/blob"}},
	{"internal/store/enginetest", nil}, // tests only, as storetest is
	{"internal/store/storetest", nil},
	{"internal/store/conformance", []string{
		"internal/store/schema", "internal/store", "internal/testclock", "internal/model", // tests only, too
	}},
	{"internal/store/threads", []string{"internal/store", "internal/model"}},
	{"internal/store/piecework", []string{"internal/store", "internal/model"}},
	{"internal/store/escalation", []string{"internal/store", "internal/model"}},
	{"internal/store/notes", []string{"internal/store/sealing", "internal/store", "internal/model"}},
	{"internal/store/presence", []string{"internal/store", "internal/model"}},
	{"internal/store/erasure", []string{"internal/store/sealing", "internal/store/quota", "internal/store/rota",
		"internal/store", "internal/model"}},
	{"internal/store/sealing", []string{"internal/store/legalhold", "internal/store", "internal/model"}},
	{"internal/store/legalhold", []string{"internal/store", "internal/model"}},
	{"internal/store/metadata", []string{"internal/store", "internal/model"}},
	{"internal/store/subscriptions", []string{"internal/store", "internal/model"}},
	{"internal/store/quota", []string{"internal/store", "internal/model"}},
	{"internal/store/rota", []string{"internal/store", "internal/duty", "internal/model"}},
	{"internal/store/provision", []string{"internal/store", "internal/model"}},
	{"internal/store/auditlog", []string{"internal/store", "internal/model"}},
	{"internal/store/searchindex", []string{"internal/store", "internal/model"}},
	{"internal/store/authorship", []string{"internal/store", "internal/model"}},
	{"internal/store/overview", []string{"internal/store", "internal/model"}},
	{"internal/store/series", []string{"internal/store", "internal/model"}},
	{"internal/store/postgrestest", nil},
	{"internal/store/postgres", []string{"internal/store/engine", "internal/store", "internal/model"}},
	{"internal/store/sqlite", []string{"internal/store/engine", "internal/store", "internal/durable",
		"internal/model"}},
	{"internal/store/engine", []string{"internal/store"}},
	{"internal/store/tablecopy", []string{"internal/store", "internal/store/schema", "internal/model"}},
	{"internal/store", []string{"internal/store/schema", "internal/trace", "internal/meter", "internal/model"}},
	{"internal/store/schema", nil},
	{"internal/live/natstest", nil},
	{"internal/live/bustest", nil}, // tests only
	{"internal/live/natsbus", []string{"internal/live/envelope", "internal/live/link", "internal/live", "internal/model"}},
	{"internal/live/pgbus", []string{"internal/live/envelope", "internal/live/link", "internal/live", "internal/meter",
		"internal/model"}},
	{"internal/live/envelope", nil},
	{"internal/live/link", nil},
	{"internal/live", []string{"internal/model", "internal/trace"}},
	{"internal/seal/sealtest", nil},
	{"internal/blob/s3test", nil},
	{"internal/seal/pgring", []string{"internal/seal", "internal/model"}},
	{"internal/seal", []string{"internal/durable", "internal/model"}},
	{"internal/blob", []string{"internal/durable", "internal/model", "internal/trace"}},
	{"internal/trace/tracetest", nil},
	{"internal/trace/otlp", []string{"internal/trace"}},
	{"internal/trace", nil},
	{"internal/continuation", []string{"internal/model"}},
	{"internal/cache", nil},
	{"internal/large", []string{"internal/model"}},
	{"internal/completion", nil},
	{"internal/manual", []string{"internal/config"}},
	{"deploy/sbom", []string{"internal/licenses"}},
	{"internal/licenses", nil},
	{"internal/config", []string{"internal/egress", "internal/span"}},
	{"internal/egress", nil},
	{"internal/webpush/webpushtest", nil}, // for tests only
	{"internal/webpush", nil},
	{"internal/span", nil},
	{"internal/brand", nil},
	{"internal/build", nil},
	{"internal/durable", nil},
	{"internal/meter", nil},
	{"internal/tally", []string{"internal/model"}},
	{"internal/clock", nil},
	{"internal/testclock", nil}, // for tests only, like internal/testlog
	{"internal/testlog", nil},
	{"internal/testenv/beside", nil}, // a command that runs the tests
	{"internal/testenv", nil},
	{"internal/duty", []string{"internal/model"}},
	{"internal/scim", []string{"internal/model"}},
	{"internal/model", nil},
	{"internal/spreadsheet", nil},
	{"internal/load", []string{"client"}}, // sees a server as every caller does
	// has its own copies of the wire types, so that a change of the wire by accident is noticed
	{"client", nil},
	{"web", nil},                   // serves files; pages call the interface
	{"openapi/generatortest", nil}, // a module of its own, for a test
	{"deploy/release", nil},        // a module of its own, of tools
	{"deploy/release/licenses", nil},
	{"deploy/installtest", nil},          // tests only, of what a release has
	{"internal/promtest", nil},           // for tests only
	{"internal/promtest/evaluator", nil}, // a module of its own, for them
	{"deploy/helm", nil},                 // tests only
	{"deploy/helm/charttest", nil},       // a module of its own, for the tests of deploy/helm
	{"openapi/openapitest", nil},
	{"openapi", nil},
}

// onlyIn says which packages know of what, by the beginning of an import path.
var onlyIn = map[string][]string{
	"zombiezen.com/go/sqlite":        {"internal/store/sqlite"},
	"modernc.org/":                   {"internal/store/sqlite"},
	"github.com/nats-io/nats.go":     {"internal/live/natsbus"},
	"github.com/nats-io/nats-server": nil, // tests only
	"github.com/nats-io/jwt":         nil,
	"github.com/nats-io/nkeys":       nil,
	"github.com/tink-crypto/":        {"internal/seal"},
	"github.com/alecthomas/kong": {"internal/cli", "internal/benchcli", "internal/commandline", "internal/completion",
		"internal/manual"},
	"go.yaml.in/yaml":             {"internal/config", "openapi"},
	"github.com/coder/websocket":  {"internal/api/sink", "client"},
	"github.com/prometheus/":      {"internal/app", "internal/api", "internal/health", "internal/promtest/evaluator"},
	"github.com/nyaruka/":         {"internal/config", "internal/access"},
	"github.com/go-webauthn/":     {"internal/passkey"},
	"golang.org/x/image/":         {"internal/brand"},
	"golang.org/x/net/":           {"internal/access", "internal/api/guard", "internal/search"},
	"github.com/HdrHistogram/":    {"internal/load"},
	"github.com/valyala/fasthttp": {"internal/load"},
	"github.com/KimMachineGun/":   {"internal/app"},
	"github.com/minio/":           {"internal/blob"},
	"github.com/jackc/pgx": {"internal/store/postgres", "internal/seal/pgring", "internal/live/pgbus",
		"internal/config"},
	"net/http": {"bench", "internal/cli", "internal/app", "internal/transport", "internal/api",
		"internal/api/guard", "internal/api/input", "internal/api/output", "internal/api/sink", "internal/blob",
		"internal/egress", "internal/push", "internal/webhook", "internal/identity", "internal/openid",
		"internal/openid/openidtest/provider",
		"internal/load", "internal/standby", "internal/trace/otlp", "client", "web", "web/tests/stage"},
	"github.com/coreos/go-oidc":       {"internal/openid"},
	"golang.org/x/oauth2":             {"internal/openid", "internal/identity"},
	"github.com/zitadel/":             {"internal/openid/openidtest/provider"},
	"golang.org/x/mod":                {"internal/audit"},
	"go.opentelemetry.io/":            {"internal/trace", "internal/trace/otlp"},
	"google.golang.org/protobuf":      {"internal/trace/otlp"},
	"golang.org/x/sys":                {"internal/clock", "internal/load", "internal/store/postgres", "internal/systemd"},
	"github.com/go-json-experiment":   {"internal/api/input"},
	"golang.org/x/time":               {"internal/api/guard", "internal/audit"},
	"golang.org/x/crypto":             {"internal/access", "internal/seal", "internal/transport", "deploy/release"},
	"github.com/letsencrypt/":         nil, // tests only
	"github.com/rogpeppe/go-internal": nil,
	"go.uber.org/goleak":              nil,
	"pgregory.net/rapid":              nil,
	"github.com/arran4/golang-ical":   nil,
	"github.com/descope/":             nil,
	"github.com/golang-jwt/jwt":       nil,
	"github.com/getkin/kin-openapi":   nil,
}

// sourceFile is a Go file: its package's directory and what it imports.
type sourceFile struct {
	path    string
	room    string // relative to the root
	test    bool   // in a _test.go file, or in a package that is for tests
	imports []string
}

func TestImportsPointOneWay(t *testing.T) {
	allowed := make(map[string][]string)
	for i, line := range mayImport {
		allowed[line.room] = line.may
		for _, other := range line.may {
			if !slices.ContainsFunc(mayImport[i+1:], func(l layer) bool { return l.room == other }) {
				t.Errorf("the table lets %s import %s, which is not below it", line.room, other)
			}
		}
	}
	unused := make(map[[2]string]bool)
	for room, may := range allowed {
		for _, other := range may {
			unused[[2]string{room, other}] = true
		}
	}
	for _, file := range sourceFiles(t) {
		may, known := allowed[file.room]
		if !known {
			t.Errorf("%s: package %s is not in the table: say there what it may import", file.path, file.room)
			continue
		}
		if file.test {
			continue
		}
		for _, imported := range file.imports {
			inside, ours := strings.CutPrefix(imported, modulePath+"/")
			delete(unused, [2]string{file.room, inside})
			if ours && !slices.Contains(may, inside) {
				t.Errorf("%s imports %s, which %s must not know", file.path, imported, file.room)
			}
		}
	}
	for pair := range unused {
		t.Errorf("the table lets %s import %s, which it does not do", pair[0], pair[1])
	}
}

func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	for _, file := range sourceFiles(t) {
		for _, imported := range file.imports {
			for beginning, rooms := range onlyIn {
				if !file.test && strings.HasPrefix(imported, beginning) && !slices.Contains(rooms, file.room) {
					t.Errorf("%s imports %s, which is for %q only", file.path, imported, rooms)
				}
			}
			if file.room == "internal/model" && !file.test && strings.Contains(imported, ".") {
				t.Errorf("%s imports %s; the model knows the standard library only", file.path, imported)
			}
		}
	}
}

// Statements are run in internal/store and the rooms below it. The key ring in PostgreSQL
// has a connection of its own, and so has the bus, which knows no table.
func TestStatementsStayInTheStore(t *testing.T) {
	statement := regexp.MustCompile(`[("` + "`" + `](SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-z(*]` +
		`|\btx\.(Exec|Post|Query|One|SelectMessages|NoteJobWhere)\(`)
	found := 0
	for _, file := range sourceFiles(t) {
		if file.test || !strings.HasPrefix(file.room, "internal/") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(moduleRoot, file.path))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case !statement.Match(content):
		case file.room == "internal/store" || strings.HasPrefix(file.room, "internal/store/"):
			found++
		case file.room != "internal/seal/pgring" && file.room != "internal/live/pgbus":
			t.Errorf("%s runs a statement, which is for the store", file.path)
		}
	}
	if found < 40 {
		t.Errorf("only %d files of the store have statements", found)
	}
}

// No test takes an address, a directory or credentials from the environment of who runs
// it: somebody who has set SIGNET_LISTEN, or AWS_PROFILE, for a server of their own.
func TestTestsClearTheEnvironment(t *testing.T) {
	rooms := make(map[string]bool) // those with tests, and whether they clear it
	for _, file := range sourceFiles(t) {
		if !strings.HasSuffix(file.path, "_test.go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(moduleRoot, file.path))
		if err != nil {
			t.Fatal(err)
		}
		clears := strings.Contains(string(content), "func TestMain(m *testing.M)") &&
			strings.Contains(string(content), "testenv.Clear()")
		rooms[file.room] = rooms[file.room] || clears
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		if !rooms[room] {
			t.Errorf("the TestMain of %s does not call testenv.Clear", room)
		}
	}
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(moduleRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() {
			if name != moduleRoot && (strings.HasPrefix(base, ".") || base == "testdata" || base == "data" ||
				base == "bin" || base == "node_modules" || base == "third_party") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(moduleRoot, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		file := sourceFile{path: inside, room: path.Dir(inside)}
		file.test = strings.HasSuffix(name, "_test.go") || strings.HasSuffix(file.room, "test")
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			file.imports = append(file.imports, imported)
		}
		files = append(files, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files below %s", len(files), moduleRoot)
	}
	return files
}
