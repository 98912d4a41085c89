package store

import (
	"fmt"
	"regexp"
	"strings"
)

// distribution is the column by whose value the rows of each table are spread over
// the shards of a distributed PostgreSQL; "" is a small table that every shard has
// whole. Tables with the same key have rows of the same value on the same shard.
var distribution = map[string]struct{ key, why string }{
	"accounts":           {"account", "a profile"},
	"events":             {"account", "the queue of an account, read as a whole"},
	"engine_queues":      {"account", "locked by whoever queues something, or takes access away; beside the queue"},
	"withdrawals":        {"account", "beside the queue"},
	"grown_queues":       {"account", "beside the queue"},
	"conversations":      {"account", "the roster and the counters of an account"},
	"requests":           {"account", "asked once for each send, by its sender"},
	"mutes":              {"account", "of one account"},
	"push_subscriptions": {"account", "of one account, and read with its mutes"},
	"streams":            {"account", "of one account, which has a limit of them"},
	"kept_events":        {"account", "beside the queue"},
	"memberships": {"account", "a message asks where its sender and recipient belong; so an organization " +
		"is not bound to one shard"},
	"roles":         {"account", "read with the memberships"},
	"join_requests": {"account", "beside the memberships that they become"},
	"scim_people":   {"organization", "a directory asks for names of one organization"},
	"messages": {"message", "every read names the message; by organization, the largest one would be one " +
		"shard"},
	"deliveries":            {"message", "beside their message"},
	"escalations":           {"message", "beside their message"},
	"escalation_targets":    {"message", "beside their message"},
	"escalation_policies":   {"organization", "few"},
	"past_members":          {"account", "beside the conversations of an account"},
	"groups":                {"group_token", "locked by who changes it, and read with its members"},
	"group_members":         {"group_token", "a message to a group reads all of them"},
	"rotas":                 {"group_token", "beside the group, whose members change by it"},
	"rota_places":           {"group_token", "beside their rota"},
	"notes":                 {"group_token", "beside the group, and read with its messages"},
	"note_names":            {"group_token", "beside their note"},
	"organizations":         {"organization", "read with each request of its members; small"},
	"account_erasures":      {"account", "few"},
	"organization_erasures": {"", "few, and hardly ever any, which the statements of the others look at"},
	"organization_numbers":  {"", "a row for each organization, which the statements of the others join"},
	"holds":                 {"organization", "few"},
	"held_messages":         {"organization", "few organizations are held; read as a whole"},
	"held_deliveries":       {"organization", "beside their messages"},
	"audit_entries":         {"chain", "the chain of an organization, whose end each line extends"},
	"audit_names":           {"chain", "beside the lines"},
	"audit_chains":          {"chain", "beside the lines"},
	"audit_checkpoints":     {"chain", "beside the lines"},
	"key_endings":           {"organization", "few"},
	"departures":            {"organization", "few"},
	"pieces":                {"organization", "few: gone when they are done"},
	"figures":               {"organization", "of one, or of the installation; a row for each minute and server"},
	"jobs":                  {"number", "random; whoever does one, has it"},
	"search_entities":       {"organization", "a search looks through one organization"},
	"name_claims":           {"organization", "beside the index, and empty but for a moment"},
	"search_words":          {"organization", "as above; the largest organization's index has to fit one shard"},
	"metadata":              {"entity", "asked for by the entity"},
	"metadata_sizes":        {"organization", "a row for each organization, changed with each metadata"},
	"addresses":             {"address", "resolves a name of the platform"},
	"keys":                  {"api_key", "resolves a name of the platform; each request reads one"},
	"passkeys":              {"account", "of one account"},
	"passkey_allowances":    {"account", "beside the passkeys"},
	"passkey_challenges":    {"mark", "random; whoever answers one names it"},
	"webhooks":              {"account", "beside the queue that they read"},
	"webhook_deliveries":    {"account", "beside their webhook"},
	"providers":             {"organization", "one for each organization that has one"},
	"provider_domains":      {"domain", "resolves a name of the platform"},
	"subjects":              {"organization", "beside the provider that knows them"},
	"subject_keys":          {"organization", "beside their subject"},
	"sign_ins":              {"token", "random; whoever comes back, names it"},
	"quotas":                {"counter", "one row of a key and day, raised with each send"},
	"blobs":                 {"blob", "the bytes lie elsewhere"},
	"erasures":              {"blob", "beside the count"},
	"avatars":               {"blob", "asked for by the file"},
	"access_changes":        {"number", "random; all of the last two minutes are read at once"},
	"engine_writes":         {"write", "random; no two transactions meet there"},
	"nodes":                 {"", "a row for each server"},
	"meta":                  {"", "a few rows, written at the start"},
}

// reach is how many shards a statement touches.
type reach int

const (
	oneShard   reach = iota // that of one value, known beforehand
	someShards              // those of several values
	allShards
)

// reference is a table as a statement names it.
type reference struct {
	table, alias string
	scope        int // the parentheses that it stands in; 0 is the outermost
	reach        reach
	named        bool // by a value of its own
}

var (
	tableWord = regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE) ([a-z_]+)(?: (?:AS )?([a-z]+)\b)?`)
	// assignments are what an UPDATE writes, which pins nothing.
	assignments = regexp.MustCompile(` SET .*? WHERE `)
	insertion   = regexp.MustCompile(`^INSERT INTO \S+ (?:AS \w+ )?\(([^)]*)\) SELECT (.*?) FROM `)
)

// reachOf tells how many shards a statement touches, from how it names the keys of
// its tables.
func reachOf(sql string) (reach, error) {
	if strings.HasPrefix(sql, "CREATE ") {
		return allShards, nil
	}
	scopes := scopesOf(sql)
	var all []*reference
	for scope, text := range scopes {
		for _, m := range tableWord.FindAllStringSubmatch(text, -1) {
			if _, known := distribution[m[2]]; !known {
				continue // UPDATE SET, or what a WITH names
			}
			alias := m[3]
			if alias == "" {
				alias = m[2]
			}
			all = append(all, &reference{table: m[2], alias: alias, scope: scope, reach: allShards})
		}
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("no table that is known")
	}
	for _, r := range all {
		r.reach = r.pinned(sql, scopes[r.scope])
		r.named = r.reach == oneShard
	}
	// What is joined by the key lies where the other one lies.
	for range all {
		for _, r := range all {
			r.follow(all, scopes)
		}
	}
	out, values, direct := oneShard, map[string]bool{}, map[string]bool{}
	for _, r := range all {
		if distribution[r.table].key == "" {
			continue
		}
		out = max(out, r.reach)
		values[distribution[r.table].key] = true
		if place := fmt.Sprint(r.scope, distribution[r.table].key); r.named && direct[place] {
			out = max(out, someShards) // two values, of two shards
		} else if r.named {
			direct[place] = true
		}
	}
	if out == oneShard && len(values) > 1 {
		out = someShards
	}
	return out, nil
}

// scopesOf takes a statement apart: the text of each SELECT in parentheses, and the
// first of them what is outside of all.
func scopesOf(sql string) []string {
	scopes := []string{""}
	open := []int{0} // the scope of each parenthesis that is open
	for i := 0; i < len(sql); i++ {
		current := open[len(open)-1]
		switch {
		case sql[i] == '(':
			inner := current
			scopes[current] += "("
			if strings.HasPrefix(strings.TrimLeft(sql[i+1:], " "), "SELECT ") {
				scopes = append(scopes, "")
				inner = len(scopes) - 1
			}
			open = append(open, inner)
		case sql[i] == ')' && len(open) > 1:
			open = open[:len(open)-1]
			scopes[open[len(open)-1]] += ")"
		default:
			scopes[current] += sql[i : i+1]
		}
	}
	return scopes
}

// pinned tells what the values do that a scope compares the key with.
func (r *reference) pinned(sql, scope string) reach {
	key := distribution[r.table].key
	if strings.HasPrefix(sql, "INSERT INTO "+r.table+" ") && r.scope == 0 && !strings.Contains(sql, "FROM "+r.table) {
		if m := insertion.FindStringSubmatch(sql); m != nil {
			columns, items := strings.Split(m[1], ", "), strings.Split(m[2], ", ")
			for i, column := range columns {
				if column == key && items[i] == "?" {
					return oneShard
				}
			}
			return someShards
		}
		return oneShard // VALUES: the key is never left out, it has no default
	}
	scope = assignments.ReplaceAllString(scope, " WHERE ")
	column := `(?:^|[^\w.])(?:` + r.alias + `\.)?` + key
	switch {
	case regexp.MustCompile(column + ` = \?`).MatchString(scope):
		return oneShard
	case regexp.MustCompile(column + ` IN \(`).MatchString(scope),
		regexp.MustCompile(`\((?:\w+, )*` + key + `(?:, \w+)*\) IN \(`).MatchString(scope):
		return someShards
	}
	return allShards
}

// follow gives a reference the reach of what its key is compared with, if that is
// less than its own.
func (r *reference) follow(all []*reference, scopes []string) {
	key := distribution[r.table].key
	for _, scope := range scopes {
		for _, pattern := range []string{r.alias + `\.` + key + ` = (\w+)\.(\w+)`,
			`(\w+)\.(\w+) = ` + r.alias + `\.` + key + `\b`} {
			for _, m := range regexp.MustCompile(`\b`+pattern).FindAllStringSubmatch(scope, -1) {
				for _, o := range all {
					if o.alias != m[1] || o == r {
						continue
					}
					there := o.reach
					if there == oneShard && (distribution[o.table].key != m[2] || m[2] != key) {
						there = someShards
					}
					r.reach = min(r.reach, there)
				}
			}
		}
	}
}
