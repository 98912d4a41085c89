package manual

import (
	"fmt"

	"signet/internal/config"
)

// Settings returns the page of the configuration file, signet.yaml(5).
func Settings(version Version) Page {
	p := begin("signet.yaml", 5, version, "settings of a Signet server")
	p.heading("Description")
	p.prose(`A server reads the file that --config or the variable SIGNET_CONFIG names; the service of a package
reads /etc/signet/signet.yaml. It is YAML, and a server needs none of it. A flag of signet-serve(1) overrides a
variable, which overrides the file. A key in a section may be written below it, indented, or in one word with a
dot.`, true)
	p.prose("  limits:\n    messages_per_day: 500\n  limits.burst: 50", false)
	p.prose(`Lists are separated by commas in variables and flags. Durations have units: 500ms, 90s, 8h, 30d. "signet
config test FILE" checks a file, and "signet config show" prints what is in force and where it comes from.`, false)
	p.heading("Settings")
	for _, s := range config.Settings() {
		value := s.Default
		if value == "" {
			value = "empty"
		}
		p.entry(bold(s.Key)+" ("+italic(s.Hint)+")",
			fmt.Sprintf("%s Default: %s. Variable: %s. Flag: %s.", s.Doc, value, s.Variable, s.Flag))
	}
	p.heading("See also")
	p.line("%s(1), %s(1)", bold("signet"), bold("signet-config"))
	return Page{"signet.yaml", 5, p.b.String()}
}
