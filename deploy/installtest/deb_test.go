package installtest

import (
	"strings"
	"testing"

	"signet/internal/testenv"
)

// TestDeb is the life of the package on Debian: installed, set up, upgraded, removed, purged.
func TestDeb(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := newMachine(t)
	m.withSystemctl()
	said := m.must("dpkg -i " + m.putRelease(before, "*.deb"))
	wantIn(t, "what the installation says", said, "systemctl enable --now signet")
	m.wantAsked("the installation", "daemon-reload")
	user := m.must("getent passwd signet")
	wantIn(t, "the user", user, ":/var/lib/signet:/usr/sbin/nologin\n")
	m.want("stat -c '%U %G %a' /etc/signet/signet.yaml", "root signet 640")
	m.want("dpkg -V signet", "") // every file is as the package says
	m.wantFiles()
	wantIn(t, "signet version", m.must("signet version"), "signet v"+before+" ")

	// What an administrator writes is in force, and stays.
	m.must(`sed -i 's/^#listen: .*/listen: 127.0.0.1:0/' /etc/signet/signet.yaml`)
	m.must("signet config test /etc/signet/signet.yaml")
	s := m.startService()
	s.wantReady()
	m.must("SIGNET_DATA=/var/lib/signet signet org create 'General Hospital'")
	// What root does to the data, as docs/operate/install.md shows it, leaves them the server's.
	m.must("SIGNET_CONFIG=/etc/signet/signet.yaml signet backup /tmp/running")
	s.stop()
	m.must("SIGNET_CONFIG=/etc/signet/signet.yaml signet backup /tmp/stopped")
	m.want("find /var/lib/signet ! -user signet", "")
	m.want("stat -c '%U %a' /var/lib/signet/operator.json", "signet 600")

	s = m.upgrade()
	m.want("grep -c '^listen: 127.0.0.1:0$' /etc/signet/signet.yaml", "1")
	m.want("stat -c '%U %G %a' /etc/signet/signet.yaml", "root signet 640")
	m.want("getent passwd signet", strings.TrimSpace(user))
	wantIn(t, "the organizations", m.must("SIGNET_DATA=/var/lib/signet signet org list"), "General Hospital")
	s.stopSuccessor()
	wantIn(t, "the log", s.log.String(), "version=v"+after)

	m.must("dpkg --remove signet")
	m.wantAsked("the removal", "stop "+units(t), "--no-reload disable "+units(t), "daemon-reload")
	m.wantGone("/usr/bin/signet", "/usr/lib/systemd/system/signet.service", "/usr/share/man/man1/signet.1.gz",
		"/usr/share/bash-completion/completions/signet", "/usr/share/doc/signet", "/usr/lib/sysusers.d/signet.conf")
	m.want("grep -c '^listen: 127.0.0.1:0$' /etc/signet/signet.yaml", "1")
	m.want("test -e /var/lib/signet/signet.db && echo kept", "kept")

	// What people wrote outlives the package, and its owner too.
	wantIn(t, "what purging says", m.must("dpkg --purge signet"), "Kept: /var/lib/signet, and the user signet")
	m.wantGone("/etc/signet/signet.yaml", "/etc/signet/signet.yaml.dpkg-dist")
	m.want("stat -c %U /var/lib/signet/signet.db", "signet")

	// Nor do copies of it lose their owner, which a timer may have made beside it.
	m.must("rm -rf /var/lib/signet && mkdir /var/lib/signet-backups && touch /var/lib/signet-backups/one")
	wantIn(t, "what purging says", m.must("dpkg -i "+m.putRelease(after, "*.deb")+" && dpkg --purge signet"),
		"Kept: /var/lib/signet-backups, and the user signet")
	m.want("getent passwd signet", strings.TrimSpace(user))

	m.must("rm -rf /var/lib/signet-backups && dpkg -i " + m.putRelease(after, "*.deb") + " && dpkg --purge signet")
	m.wantGone("/etc/signet", "/var/lib/signet")
	if out, err := m.run("getent passwd signet"); err == nil {
		t.Errorf("nothing is left of Signet but its user: %s", out)
	}
}

// upgrade installs the later version over the earlier one, whose server runs, and returns the server
// after that.
func (m *machine) upgrade() *server {
	m.t.Helper()
	install := "dpkg -i --force-confdef --force-confold " + m.putRelease(after, "*.deb")
	s := m.startService()
	m.runs(s.command.Process.Pid)
	said := m.must(install)
	if strings.Contains(said, "enable --now") {
		m.t.Errorf("an upgrade says what one does after an installation: %s", said)
	}
	m.wantUpgradeAsked("the upgrade")
	m.want("grep -c '^log.format: json$' /etc/signet/signet.yaml.dpkg-dist", "1") // for the administrator to look at
	s.succeededBy(said, after)
	m.runs(s.successor)
	s.wantReady()

	// A version that could not start, here for its settings, takes nothing from the one that runs.
	m.must(`cp -p /etc/signet/signet.yaml /tmp/right && echo 'listen: nowhere' >/etc/signet/signet.yaml`)
	wantIn(m.t, "an upgrade to a version that cannot start", m.must(install),
		"the one before\ngoes on", "systemctl kill --kill-whom=main -s USR2 signet")
	m.wantUpgradeAsked("an upgrade to a version that cannot start")
	s.wantReady()

	// Nor does one when the administrator has forbidden packages to restart anything.
	m.must(`cp -p /tmp/right /etc/signet/signet.yaml
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d`)
	if said := m.must(install); strings.Contains(said, "serves, as process") {
		m.t.Errorf("what was forbidden was done: %s", said)
	}
	m.wantUpgradeAsked("an upgrade that may restart nothing")
	m.must("rm /usr/sbin/policy-rc.d")
	s.wantReady()
	return s
}

// wantFiles looks at what the package brings beside the program.
func (m *machine) wantFiles() {
	m.t.Helper()
	wantUnits(m.t, m.must("dpkg -L signet"))
	m.want("ls -l /usr/bin/signet | cut -c1-10", "-rwxr-xr-x")
	wantIn(m.t, "the notices", m.must("cat /usr/share/doc/signet/THIRD-PARTY-NOTICES.txt"), "==== MIT\n  npm:preact ")
	wantIn(m.t, "the unit", m.must("cat /usr/lib/systemd/system/signet.service"),
		"\nExecStart=/usr/bin/signet serve\n", "\n# The user of the package, which owns one directory, ")
	for _, unit := range strings.Fields(units(m.t)) {
		text := m.must("cat /usr/lib/systemd/system/" + unit)
		for _, wrong := range []string{"DynamicUser", "/usr/local/", "/var/lib/private", "docs/", "install -m"} {
			if strings.Contains(text, wrong) {
				m.t.Errorf("%s is not that of a package, but speaks of %s:\n%s", unit, wrong, text)
			}
		}
		if strings.HasPrefix(unit, "signet-") && strings.HasSuffix(unit, ".service") { // what the documents point at
			wantIn(m.t, unit, text, `"systemctl edit `+strings.TrimSuffix(unit, ".service")+`":`,
				"\n#   ReadWritePaths=", "\n#   ExecStart=/usr/bin/signet ", " in /var/lib/signet-")
		}
		if strings.HasSuffix(unit, ".service") {
			wantIn(m.t, unit, text, "\nUser=signet\nGroup=signet\n", "\nEnvironment=SIGNET_CONFIG=/etc/signet/signet.yaml\n",
				"(systemctl edit "+unit+")")
		}
		m.want("systemd-analyze verify /usr/lib/systemd/system/"+unit, "") // of its manual pages too
	}
	m.wantPages()
}

// wantPages reads the manual pages as people do, and has a strict reader look at all of them.
func (m *machine) wantPages() {
	m.t.Helper()
	if n := strings.Count(m.must("ls /usr/share/man/man1 | grep '^signet'"), "\n"); n < 30 {
		m.t.Errorf("there are only %d pages of commands", n)
	}
	for _, page := range strings.Fields(m.must("ls /usr/share/man/man1/signet* /usr/share/man/man5/signet*")) {
		m.want("zcat "+page+" | mandoc -T lint -W warning", "")
	}
	wantIn(m.t, "man signet-org", m.must("MANWIDTH=100 man signet-org"), "signet org create [options] name")
	wantIn(m.t, "man signet.yaml", m.must("MANWIDTH=100 man 5 signet.yaml"), "limits.messages_per_day (N)")
}
