package installtest

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// TestRPM is the life of the package where rpm installs it: here without systemd's own program
// for users, which not every system has.
func TestRPM(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	found, err := filepath.Glob(filepath.Join(built.releases[after], "*.rpm"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the packages are %q, %v", found, err)
	}
	header := mustRun(t, "rpm", "-qp", "--qf",
		"%{NAME} %{VERSION} %{RELEASE} %{OS} %{ARCH} %{LICENSE} %{PAYLOADCOMPRESSOR} %{BUILDHOST}\\n%{SUMMARY}\\n", found[0])
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	want := "signet " + after + " 1 linux " + arch + " Apache-2.0 zstd signet\nself-hosted secure-messaging server\n"
	if header != want {
		t.Errorf("the header is %q, want %q", header, want)
	}
	for query, want := range map[string]string{
		"-qpc":             "/etc/signet/signet.yaml\n",
		"-qpR":             "systemd\n",
		"--checksig":       "digests OK\n",
		"-qp --scripts":    "postinstall scriptlet (using /bin/sh):\n",
		"-qp --recommends": "ca-certificates\n",
		"-qpl":             "/usr/share/zsh/site-functions/_signet\n",
	} {
		wantIn(t, "rpm "+query, mustRun(t, append(append([]string{"rpm"}, strings.Fields(query)...), found[0])...), want)
	}

	wantUnits(t, mustRun(t, "rpm", "-qpl", found[0]))

	m := newMachine(t)
	m.withSystemctl()
	m.must("rm -f /usr/bin/systemd-sysusers /bin/systemd-sysusers")
	said := m.must("rpm --install --nodeps " + m.putRelease(before, "*.rpm"))
	wantIn(t, "what the installation says", said, "systemctl enable --now signet")
	user := m.must("getent passwd signet")
	wantIn(t, "the user", user, ":/var/lib/signet:/usr/sbin/nologin\n")
	m.want("stat -c '%U %G %a' /etc/signet/signet.yaml", "root signet 640")
	m.must(`sed -i 's/^#listen: .*/listen: 127.0.0.1:0/' /etc/signet/signet.yaml`)
	s := m.startService()
	s.wantReady()
	s.stop()
	m.wantAsked("the installation", "daemon-reload")

	// Whoever runs as the server lets nobody take its place, as a standby: it is restarted.
	m.runs(m.pid)
	m.must("rpm --upgrade --nodeps " + m.putRelease(after, "*.rpm"))
	m.wantUpgradeAsked("the upgrade", "try-restart signet.service")
	m.want("grep -c '^listen: 127.0.0.1:0$' /etc/signet/signet.yaml", "1")
	m.want("grep -c '^log.format: json$' /etc/signet/signet.yaml.rpmnew", "1")
	m.want("getent passwd signet", strings.TrimSpace(user))
	wantIn(t, "signet version", m.must("signet version"), "signet v"+after+" ")
	s = m.startService()
	s.wantReady()
	s.stop()

	m.must("rpm --erase signet")
	m.wantAsked("the removal", "stop "+units(t), "--no-reload disable "+units(t), "daemon-reload")
	m.wantGone("/usr/bin/signet", "/usr/lib/systemd/system/signet.service", "/etc/signet/signet.yaml")
	m.want("grep -c '^listen: 127.0.0.1:0$' /etc/signet/signet.yaml.rpmsave", "1")
	m.want("stat -c %U /var/lib/signet/signet.db", "signet")
}
