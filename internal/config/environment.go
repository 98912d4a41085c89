package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const variablePrefix = "SIGNET_"

// The variables that are not settings of the server: the name of the file, and
// what the client commands and the project's tests read.
const fileVariable = "SIGNET_CONFIG"

var otherVariables = []string{fileVariable, "SIGNET_URL", "SIGNET_API_KEY", "SIGNET_API_SECRET"}

const testVariablePrefix = "SIGNET_TEST_"

// variableName is the environment variable of a setting:
// limits.messages_per_day is SIGNET_LIMITS_MESSAGES_PER_DAY.
func variableName(key string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// variables picks ours from an environment. Of two with one name the later
// counts, as it does for the processes of the operating system.
func variables(environ []string) map[string]string {
	ours := make(map[string]string)
	for _, entry := range environ {
		if name, text, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, variablePrefix) {
			ours[name] = text
		}
	}
	return ours
}

// loadEnvironment sets what the variables name and returns what is wrong with
// them.
func loadEnvironment(ours map[string]string, all []*setting) []error {
	byName := make(map[string]*setting, len(all))
	for _, s := range all {
		byName[variableName(s.key)] = s
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		s := byName[name]
		switch {
		case s != nil:
			read := func() error { return s.value.parse(ours[name]) }
			problems = append(problems, s.set(origin{FromEnvironment, "variable " + name}, read))
		case slices.Contains(otherVariables, name), strings.HasPrefix(name, testVariablePrefix):
		case serviceLink(name, ours):
		default:
			near := nearest(name, slices.Collect(maps.Keys(byName)))
			problems = append(problems, fmt.Errorf("unknown variable %s%s", name, didYouMean(near)))
		}
	}
	return problems
}

// serviceLink reports whether a variable is one of those that Kubernetes sets
// in every pod for a Service whose name starts with "signet". A server must not
// refuse to start because of the name of its Service.
func serviceLink(name string, ours map[string]string) bool {
	for host := range ours {
		service, ok := strings.CutSuffix(host, "_SERVICE_HOST")
		if !ok {
			continue
		}
		rest, ok := strings.CutPrefix(name, service)
		if ok && (rest == "_PORT" || strings.HasPrefix(rest, "_PORT_") || strings.HasPrefix(rest, "_SERVICE_")) {
			return true
		}
	}
	return false
}
