package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// service is the unit of the server itself.
const service = "signet.service"

// units lists the units of systemd in deploy.
func (r *release) units() (names []string, err error) {
	for _, kind := range []string{"service", "socket", "timer"} {
		found, err := filepath.Glob(filepath.Join(r.root, "deploy", "signet*."+kind))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			names = append(names, filepath.Base(file))
		}
	}
	if !slices.Contains(names, service) {
		return nil, fmt.Errorf("deploy has no %s", service)
	}
	return names, nil
}

// timers are those of the units, which an upgrade restarts where they run: they may have another time.
// What they have started ends by itself, a socket stays open, and the server hands over.
func timers(units []string) (names []string) {
	for _, unit := range units {
		if filepath.Ext(unit) == ".timer" {
			names = append(names, unit)
		}
	}
	return names
}

// inPackage is what is different in the units of a package: where the program and its data lie,
// the file of settings, and a user of its own, so that a backup or a copied directory keeps its
// owner. Each service has the lines that are its "needed" ones.
var inPackage = []struct {
	from, to string
	needed   bool
}{
	{"/usr/local/bin/signet", "/usr/bin/signet", true},
	{"Environment=SIGNET_DATA=%S/signet\n", "Environment=SIGNET_CONFIG=/etc/signet/signet.yaml\n", true},
	{"DynamicUser=yes\nUser=signet\n", "User=signet\nGroup=signet\n", true},
	{"# A user that exists while the service does, and owns one directory, whose files\n# others cannot read.\n",
		"# The user of the package, which owns one directory, whose files others cannot read.\n", false},
	{"/var/lib/private/", "/var/lib/", false},
}

// byHand is what the packages leave out of what is said before a unit: each paragraph about how it is
// installed otherwise, or about files of the repository.
var byHand = []string{"install -m ", "docs/"}

// leftOver is what nothing in a unit of a package may speak of.
var leftOver = []string{"DynamicUser", "SIGNET_DATA", "/usr/local/", "/var/lib/private", "docs/"}

// asPackaged is a unit of deploy, by its name and content, as the packages have it.
func asPackaged(name, content string) (string, error) {
	head, body, found := strings.Cut(content, "\n[Unit]\n")
	if !found {
		return "", fmt.Errorf("deploy/%s has no [Unit]", name)
	}
	said := slices.DeleteFunc(strings.Split(strings.TrimSpace(head), "\n#\n"), func(paragraph string) bool {
		return slices.ContainsFunc(byHand, func(of string) bool { return strings.Contains(paragraph, of) })
	})
	said = append(said, "# The package replaces this file when it is upgraded. What is to be different goes into a\n"+
		"# drop-in (systemctl edit "+name+"), and settings into /etc/signet/signet.yaml.")
	unit := strings.Join(said, "\n#\n") + "\n\n[Unit]\n" + body
	for _, change := range inPackage {
		if change.needed && filepath.Ext(name) == ".service" && !strings.Contains(body, change.from) {
			return "", fmt.Errorf("deploy/%s lacks what is different in a package: %q", name, change.from)
		}
		unit = strings.ReplaceAll(unit, change.from, change.to)
	}
	for _, left := range leftOver {
		if strings.Contains(unit, left) {
			return "", fmt.Errorf("deploy/%s says something about %s that the package does not know to change", name, left)
		}
	}
	return unit, nil
}

// packageUnit reads a unit of deploy as the packages have it.
func (r *release) packageUnit(name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(r.root, "deploy", name))
	if err != nil {
		return nil, err
	}
	unit, err := asPackaged(name, string(content))
	return []byte(unit), err
}
