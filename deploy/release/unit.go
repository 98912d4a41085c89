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

// restarted are the units that an upgrade restarts where they run. A socket stays open meanwhile,
// and what a timer has started ends by itself.
func restarted(units []string) (names []string) {
	for _, unit := range units {
		if unit == service || filepath.Ext(unit) == ".timer" {
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

// asPackaged is a unit of deploy, by its name and content, as the packages have it.
func asPackaged(name, content string) (string, error) {
	_, body, found := strings.Cut(content, "\n[Unit]\n") // before it stands how to install it by hand
	if !found {
		return "", fmt.Errorf("deploy/%s has no [Unit]", name)
	}
	for _, change := range inPackage {
		if change.needed && filepath.Ext(name) == ".service" && strings.Count(body, change.from) == 0 {
			return "", fmt.Errorf("deploy/%s lacks what is different in a package: %q", name, change.from)
		}
		body = strings.ReplaceAll(body, change.from, change.to)
	}
	for _, left := range []string{"DynamicUser", "SIGNET_DATA"} {
		if strings.Contains(body, left) {
			return "", fmt.Errorf("deploy/%s says something about %s that the package does not know to change", name, left)
		}
	}
	return `# The package replaces this file when it is upgraded. What is to be different goes into a
# drop-in (systemctl edit ` + name + `), and settings into /etc/signet/signet.yaml.

[Unit]
` + body, nil
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
