package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestImageHasTheProgramThatMakeBuilds(t *testing.T) {
	file, makefile, module := mustRead(t, "Dockerfile"), mustRead(t, "../Makefile"), mustRead(t, "../go.mod")
	build := regexp.MustCompile(`CGO_ENABLED=0 (?:GOOS=\S+ GOARCH=\S+ )?go build (.*)`)
	image, made := build.FindStringSubmatch(file), build.FindStringSubmatch(makefile)
	if image == nil || made == nil || image[1] != made[1] {
		t.Errorf("the image is built with %q, and make builds with %q", image, made)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)[1]
	if !strings.Contains(file, "FROM --platform=$BUILDPLATFORM golang:"+version+"-") {
		t.Errorf("the image is not built with Go %s, which go.mod asks for", version)
	}
	variables := map[string]string{"SIGNET_TRUSTED_PROXIES": "192.0.2.7"}
	for _, m := range regexp.MustCompile(`(SIGNET_\w+)=(\S+)`).FindAllStringSubmatch(file, -1) {
		variables[m[1]] = m[2]
	}
	cfg := mustLoad(t, "Dockerfile", variables, "")
	for _, line := range []string{
		"USER 65532:65532", "EXPOSE 8080", "VOLUME " + cfg.Data, "--chown=65532:65532 /empty " + cfg.Data,
		`CMD ["/usr/local/bin/signet", "health"]`, `ENTRYPOINT ["/usr/local/bin/signet"]`, `CMD ["serve"]`,
		"STOPSIGNAL SIGTERM",
	} {
		if !strings.Contains(file, line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	if !strings.HasSuffix(cfg.Listen, ":8080") {
		t.Errorf("the server listens on %s, and port 8080 is exposed", cfg.Listen)
	}
}

func TestServiceOfSystemd(t *testing.T) {
	text := mustRead(t, "signet.service")
	values := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(text, -1) {
		values[m[1]] = append(values[m[1]], m[2])
	}
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
	wantLonger(t, "TimeoutStopSec", stop, cfg.Shutdown.Grace+afterGrace)
	for key, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "",
		"StateDirectoryMode": "0700",
		"PrivateTmp":         "yes", "ProtectHome": "yes", "KillSignal": "SIGTERM", "Restart": "on-failure",
		"RestartPreventExitStatus": "2",
		"ExecStart":                "/usr/local/bin/signet serve", "ExecReload": "/bin/kill -HUP $MAINPID",
	} {
		if !slices.Equal(values[key], []string{want}) {
			t.Errorf("%s is %q, want %q", key, values[key], want)
		}
	}
	wantKnownToSystemd(t, text)
}

// wantKnownToSystemd has systemd itself look at the unit, where there is one.
func wantKnownToSystemd(t *testing.T, text string) {
	t.Helper()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	directory := t.TempDir()
	program, err := os.Executable() // some program: it is looked for
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(directory, "signet.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(text, "/usr/local/bin/signet serve", program)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(analyze, "verify", "--man=no", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}
