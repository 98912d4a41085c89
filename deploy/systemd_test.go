package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// afterGraceOfSocket is how long a server may take to stop beyond shutdown.grace where systemd has its
// socket (internal/app, leave.go): clients are asked to leave first, and connections end last.
const afterGraceOfSocket = 11 * time.Second

// units are those of systemd, each with the values of its keys.
func units(t *testing.T) map[string]map[string][]string {
	t.Helper()
	files, err := filepath.Glob("signet*.*")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string][]string{}
	for _, file := range files {
		values := map[string][]string{}
		for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(mustRead(t, file), -1) {
			values[m[1]] = append(values[m[1]], m[2])
		}
		out[file] = values
	}
	return out
}

// wantValues reports keys that do not have these values.
func wantValues(t *testing.T, file string, got map[string][]string, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if !slices.Equal(got[key], []string{value}) {
			t.Errorf("%s: %s is %q, want %q", file, key, got[key], value)
		}
	}
}

// few are the rights of everything that systemd runs.
var few = map[string]string{
	"DynamicUser": "yes", "User": "signet", "ProtectSystem": "strict", "NoNewPrivileges": "yes",
	"CapabilityBoundingSet": "",
	"StateDirectoryMode":    "0700", "PrivateTmp": "yes", "ProtectHome": "yes", "UMask": "0077", "MemorySwapMax": "0",
	"LimitCORE": "0", "Environment": "SIGNET_DATA=%S/signet", "EnvironmentFile": "-/etc/signet/environment",
}

func TestServiceOfSystemd(t *testing.T) {
	text := mustRead(t, "signet.service")
	values := units(t)["signet.service"]
	variables := map[string]string{}
	for _, entry := range values["Environment"] {
		name, value, _ := strings.Cut(entry, "=")
		variables[name] = strings.ReplaceAll(value, "%S", "/var/lib")
	}
	cfg := mustLoad(t, "signet.service", variables, "")
	if want := "/var/lib/" + values["StateDirectory"][0]; cfg.Data != want {
		t.Errorf("the server stores in %s, want %s", cfg.Data, want)
	}
	for line := range strings.Lines(text) { // those of a line belong together
		together := map[string]string{"SIGNET_INSECURE_HTTP": "true"}
		for _, m := range regexp.MustCompile(`(SIGNET_\w+)=(\S*)`).FindAllStringSubmatch(line, -1) {
			if m[1] != "SIGNET_DATA" {
				together[m[1]] = strings.TrimRight(m[2], ",.")
			}
		}
		mustLoad(t, "signet.service, comment", together, "")
	}
	stop, err := time.ParseDuration(values["TimeoutStopSec"][0])
	if err != nil {
		t.Fatal(err)
	}
	wantLonger(t, "TimeoutStopSec", stop, cfg.Shutdown.Grace+max(afterGrace, afterGraceOfSocket))
	wantValues(t, "signet.service", values, few)
	wantValues(t, "signet.service", values, map[string]string{
		"Type": "notify", "NotifyAccess": "main", "WatchdogSec": "60s", "TimeoutStartSec": "infinity", "KillMode": "mixed",
		"KillSignal": "SIGTERM", "Restart": "on-failure", "RestartPreventExitStatus": "2",
		"ExecStart": "/usr/local/bin/signet serve", "ExecReload": "/bin/kill -HUP $MAINPID",
	})
}

// What internal/e2e runs of these units is in TestUnitsOfSystemdRunTheProgram.
func TestSocketAndTimersOfSystemd(t *testing.T) {
	all := units(t)
	cfg := mustLoad(t, "signet.socket", nil, "")
	wantValues(t, "signet.socket", all["signet.socket"], map[string]string{"ListenStream": cfg.Listen,
		"FileDescriptorName": "listen"})
	for _, name := range []string{"signet-backup", "signet-keys-export"} {
		timer, service := all[name+".timer"], all[name+".service"]
		if timer["OnCalendar"] == nil || service["ExecStart"] == nil {
			t.Errorf("%s has no time or does nothing", name)
			continue
		}
		wantValues(t, name+".timer", timer, map[string]string{"Persistent": "yes", "WantedBy": "timers.target"})
		wantValues(t, name+".service", service, few)
		wantValues(t, name+".service", service, map[string]string{"Type": "oneshot"})
		// What it writes is in a directory that it owns beside the data.
		words := strings.Fields(service["ExecStart"][0])
		target := strings.TrimPrefix(words[len(words)-1], "%S/")
		first, _, _ := strings.Cut(target, "/")
		if owned := strings.Fields(service["StateDirectory"][0]); !slices.Contains(owned, first) ||
			!slices.Contains(owned, "signet") {
			t.Errorf("%s writes to %s, and owns %q", name, target, owned)
		}
	}
	if next := all["signet-backup.service"]["OnSuccess"]; !slices.Equal(next, []string{"signet-keys-export.service"}) {
		t.Errorf("after a backup comes %q, want the copy of the key ring, which must not be older", next)
	}
	// What the timers start has no more rights than the server.
	server, rights := all["signet.service"], []string{"RestrictAddressFamilies", "SystemCallFilter", "RestrictNamespaces",
		"MemoryDenyWriteExecute", "ProtectKernelTunables", "ProtectProc", "PrivateDevices", "PrivateMounts"}
	for _, name := range []string{"signet-backup.service", "signet-keys-export.service"} {
		for _, key := range rights {
			if !slices.Equal(all[name][key], server[key]) {
				t.Errorf("%s: %s is %q, and the server's is %q", name, key, all[name][key], server[key])
			}
		}
	}
}

// mostExposed is the most that "systemd-analyze security" may find: 0 is no access to anything.
const mostExposed = "16" // of 1.6, in tenths

// TestUnitsAreKnownToSystemd has systemd itself look at the units, on the systems that have one.
func TestUnitsAreKnownToSystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal("systemd-analyze is missing, which .ci/run installs: apt-get install systemd")
	} else if err != nil {
		return
	}
	directory := t.TempDir()
	program, err := os.Executable() // some program: it is looked for
	if err != nil {
		t.Fatal(err)
	}
	verify := []string{"verify", "--man=no"}
	for file := range units(t) {
		unit := filepath.Join(directory, file)
		text := strings.ReplaceAll(mustRead(t, file), "/usr/local/bin/signet", program)
		if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		verify = append(verify, unit)
		if filepath.Ext(file) != ".service" {
			continue
		}
		out, err := exec.Command(analyze, "security", "--offline=true", "--threshold="+mostExposed, "--no-pager",
			unit).CombinedOutput()
		if err != nil {
			t.Errorf("%s is more exposed than it has to be: %v\n%s", file, err, out)
		}
	}
	if out, err := exec.Command(analyze, verify...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}
