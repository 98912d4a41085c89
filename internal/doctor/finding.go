package doctor

import (
	"fmt"
	"maps"
	"slices"
)

// Severity is how much a finding matters.
type Severity string

const (
	Error   Severity = "error"   // the server does not start, refuses calls, or may lose something
	Warning Severity = "warning" // it works, and somebody has to see to it
	Note    Severity = "note"    // good to know
)

// Finding is something that is not as it should be.
type Finding struct {
	Code     string   `json:"code"` // one of Codes
	Severity Severity `json:"severity"`
	Problem  string   `json:"problem"` // what is wrong, and where
	Remedy   string   `json:"remedy"`  // what to do about it
}

// kind is what there is to know of a finding before it is made.
type kind struct {
	severity Severity
	remedy   string
}

// kinds are all findings that there are. A code keeps its meaning for good: programs look for it.
// docs/operate/doctor.md describes each.
var kinds = map[string]kind{
	"settings.invalid": {Error, "correct the setting: \"signet config describe\" says what each one takes"},
	"settings.file":    {Error, "put the file in its place, readable for the server's user, or change the setting"},
	"settings.risk":    {Warning, "change the setting, if that is not what you want"},
	"settings.unused":  {Note, "leave the setting out, or set what it needs"},
	"settings.otel": {Note, "set tracing.endpoint if the server is to send traces there: OTEL_... variables have no " +
		"effect"},

	"machine.files": {Warning, "raise the limit of open files (LimitNOFILE of the service, ulimits of the container): " +
		"each connection and stream takes one"},
	"machine.zone":   {Warning, "install the time zone data (tzdata), or correct TZ"},
	"machine.denied": {Warning, "run the doctor as the server's user, or as root"},

	"disk.low":  {Warning, "make room, or enlarge the volume, before it is full"},
	"disk.full": {Error, "make room: new messages and files are refused (docs/operate/operations.md, A full disk)"},

	"data.missing": {Error, "name the server's directory with --data or --config, or start the server, which makes it"},
	"data.moved":   {Error, "name the database (--database) that the installation was moved to"},
	"data.owner":   {Error, "give all of it to the server's user: chown -R USER the data directory"},
	"data.permissions": {Warning, "chmod 700 the data directory, and 600 the files in it; a file elsewhere may be its " +
		"group's, but not everybody's"},
	"data.restoring": {Error, "run the command again that was not finished (signet restore, signet migrate), to its end"},
	"data.fenced": {Error, "make it the standby of the other server (\"signet demote\"), or take over from that " +
		"(\"signet promote --fenced\"): each drops what only one of them has (docs/operate/standby.md)"},
	"data.role":    {Error, "set what the reason says, or name another directory (docs/operate/standby.md)"},
	"data.standby": {Note, "nothing: \"signet promote\" makes it the server, in the place of the one that it follows"},
	"data.unclean": {Note, "nothing: the next start takes over what the log holds; the server's log may say why it " +
		"ended"},
	"data.log": {Warning, "look for what keeps the log from being copied: a full disk, or a reader that hangs; the " +
		"server's log says \"checkpoint failed\""},

	"store.empty":      {Note, "nothing: the first start makes what is missing"},
	"store.unreadable": {Error, "look at the disk, and restore a backup if the file is damaged (docs/operate/backup.md)"},
	"store.newer":      {Error, "run the version of the program that the data was last used with, or a later one"},
	"store.older":      {Note, "make a backup, then start the server, which brings the data up to date"},

	"keys.master": {Error, "bring the master key back from its copy: without it nothing that is sealed can be read " +
		"(docs/operate/sealing-keys.md)"},
	"keys.ring": {Error, "bring the key ring back from its place or its copy (docs/operate/sealing-keys.md); make no " +
		"new one"},
	"keys.away": {Error, "see why the database of the key ring does not answer: sending stops without it"},
	"keys.copy": {Warning, "see why the second place of the key ring cannot be read: it may miss new keys"},
	"keys.beside": {Warning, "move the key ring to another PostgreSQL server (\"signet keys export\"): base backups of " +
		"this one hold both"},

	"backup.none":   {Warning, "run \"signet backup\", and have a timer run it"},
	"backup.old":    {Warning, "see why the timer did not run \"signet backup\""},
	"backup.failed": {Error, "run \"signet backup\" by hand: it says why it fails"},
	"backup.lost": {Warning, "bring the attachments back from an earlier backup, or see what removed them: \"signet " +
		"backup\" names them"},

	"clock.doubt": {Error, "correct the clock, or say \"signet clock accept\" if it is right: until then nothing that " +
		"has ended is erased"},
	"clock.behind": {Error, "correct the clock: messages that are sent now expire too early"},
	"clock.ahead":  {Warning, "correct the clock, or say \"signet clock accept\" before the start if it is right"},
	"clock.offset": {Error, "set the clocks of the servers and the database by NTP: a server that is 0.5 s off is not " +
		"ready"},
	"clock.server": {Warning, "set the clock of this machine and of the server by NTP"},

	"certificate.file":  {Error, "put the certificate and its key in their place; a running server takes them over"},
	"certificate.ended": {Error, "renew the certificate: clients refuse it"},
	"certificate.ends":  {Warning, "renew the certificate"},
	"certificate.name":  {Error, "get a certificate for the name in base_url: clients refuse this one"},

	"database.away": {Error, "see whether PostgreSQL runs, and whether the address, the role and the password are " +
		"right"},
	"database.version":  {Error, "upgrade to PostgreSQL 15 or later"},
	"database.encoding": {Error, "make the database anew with ENCODING 'UTF8'"},
	"database.standby":  {Error, "name the primary in the setting database; several hosts may be named"},
	"database.commit": {Note, "nothing: servers turn synchronous_commit on for their transactions; other programs on " +
		"the database may lose what was confirmed"},

	"bus.nats": {Warning, "see whether NATS runs, and whether nats, nats_login and nats_ca are right: servers hear " +
		"late of each other"},
	"bus.notify": {Warning, "use a pooler that keeps a connection for each session, or set nats: servers hear late of " +
		"each other"},

	"attachments.away": {Error, "mount the volume, or mend the bucket that the setting blobs names: files can neither " +
		"be sent nor fetched"},
	"attachments.place": {Error, "set blobs to where the files are, or mount the volume: this place was never begun, " +
		"or is another one"},

	"server.none":   {Note, "start the server, if it is to run"},
	"server.silent": {Error, "see its log, and whether the setting listen is the server's own"},
	"server.away":   {Error, "see whether the server runs, and whether the address is right"},
	"server.trust":  {Error, "get a certificate that clients trust, for the name that they ask for"},
	"server.closed": {Note, "give an operator's key (SIGNET_API_KEY, SIGNET_API_SECRET), and ask at the server's own " +
		"address"},
	"server.ready":    {Error, "do what the reason says; the server's log has more"},
	"server.standby":  {Note, "nothing: \"signet promote\" makes it the server, in the place of the one that it follows"},
	"server.warning":  {Warning, "do what the warning says (docs/operate/operations.md)"},
	"server.task":     {Warning, "see the server's log, which says why the task fails"},
	"server.part":     {Error, "see why the part does not answer: calls that need it are refused"},
	"server.versions": {Note, "finish the upgrade: servers of several versions share the database"},
	"server.files":    {Warning, "raise the limit of open files, or look for clients that leave connections open"},
}

// Codes returns the codes of all findings, in order.
func Codes() []string { return slices.Sorted(maps.Keys(kinds)) }

// SeverityOf returns that of the findings with a code.
func SeverityOf(code string) Severity { return kinds[code].severity }

// Settings are the findings about settings that cannot be read, a line of the error each.
func Settings(problems []string) []Finding {
	e := new(examination)
	for _, problem := range problems {
		e.find("settings.invalid", "%s", problem)
	}
	return e.found
}

// find notes a finding.
func (e *examination) find(code, format string, args ...any) {
	k := kinds[code] // which TestEveryFindingIsCaused wants to be there
	e.found = append(e.found, Finding{Code: code, Severity: k.severity, Remedy: k.remedy,
		Problem: e.hide(fmt.Sprintf(format, args...))})
}
