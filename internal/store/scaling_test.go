package store

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"signet/internal/store/schema"
)

var update = flag.Bool("update", false, "write the lists in docs and testdata again")

const (
	scalingPage = "../../docs/scaling.md"
	sizingPage  = "../../docs/operate/sizing.md"
	reachFile   = "testdata/reach.txt"
)

// spreading says of each function that has statements for more than one shard why
// that is borne: how often it runs, or how many shards they are.
var spreading = map[string]string{
	"postgres.Engine.forgetWrites": "every minute on each node",
	"series.ActiveAmong":           "once an hour, on one server: some organizations at a time",
	"series.OrganizationsAfter":    "once an hour, on one server: some organizations at a time",
	"series.FilesAfter":            "once an hour, on one server: some files at a time",
	"series.Forget":                "once an hour, on one server: some rows at a time",
	"Tx.ShareOrganizations":        "each sweep: of messages that ended; and once a minute those in which somebody called",
	"tablecopy.Copy.Accounts":      "a move from the embedded store",
	"tablecopy.Copy.wipe":          "a move from the embedded store that begins again",
	"postgres.Engine.Analyze":      "the end of a move from the embedded store, and tables that have grown fourfold",
	"postgres.Engine.StartAfter":   "the end of a move from the embedded store: some queues at a time",
	"TakeCensus":                   "a move, a backup and its check",
	"tablecopy.table.insert":       "a move from the embedded store",
	"tablecopy.table.read":         "a move from the embedded store",
	"Tx.BlobsAfter":                "a backup",
	"Tx.BlobsInUse":                "the sweep, of some files at a time",
	"Tx.ClaimedAddresses":          "a command that lists addresses of former forms",
	"auditlog.Chains":              "a check or an export of the audit log",
	"auditlog.Heads":               "a check of the audit log",
	"auditlog.Old":                 "the sweep, once an hour",
	"auditlog.UnsignedHeads":       "the sweep, once a minute",
	"Tx.askToKeep":                 "a recall, or the sweep: the message, and whether its organization is held",
	"legalhold.HeldAmong":          "the sweep: those of some messages at a time; once in the life of an account",
	"Tx.keepDeliveries":            "the sweep: the message's copies, and whether the message is kept",
	"erasure.CloseAccount":         "once in the life of an account",
	"authorship.WorksOf":           "once in the life of an account, beside others",
	"erasure.ConversationsNaming":  "once in the life of an account, beside others",
	"piecework.HasPiecesBefore":    "an erasure of an account",
	"erasure.NoteDeparture":        "who leaves or removes a conversation: the organization, and what is to be done",
	"Tx.DueJobs":                   "when something is due: the first jobs of each shard",
	"Tx.NextDue":                   "twice a second on each server: the first job of each shard",
	"Tx.FreeJobs":                  "the start of a server that is alone",
	"authorship.RequestThatMade":   "once in the life of an account, beside others",
	"erasure.TracesOf":             "an erasure of an account: each shard its own, some rows at a time",
	"erasure.eventsNaming":         "an erasure of an account: each shard its own, some rows at a time",
	"erasure.ConversationsIn":      "an erasure from the command line, some rows at a time",
	"erasure.MutesIn":              "an erasure from the command line, some rows at a time",
	"erasure.RequestsIn":           "an erasure from the command line, some rows at a time",
	"erasure.PastMembersIn":        "an erasure from the command line, some rows at a time",
	"erasure.EventsIn":             "an erasure from the command line, some rows at a time",
	"Tx.ForgetMaker":               "an erasure from the command line, some rows at a time",
	"erasure.MadeBy":               "an erasure from the command line, some rows at a time",
	"Tx.ForgetPasswords":           "an erasure from the command line, some rows at a time",
	"erasure.PasswordsOf":          "an erasure from the command line, some rows at a time",
	"Tx.HeldMessagesAfter":         "a check of the keys",
	"erasure.EraseBesides":         "the sweep: what a deleted organization has left, some rows at a time",
	"erasure.EraseGroups":          "the sweep: groups of a deleted organization, some rows at a time",
	"erasure.eraseKeys":            "the sweep: keys of a deleted organization, some at a time",
	"erasure.endMembers":           "the sweep: members of a deleted organization, some at a time",
	"erasure.eraseQueued": "the sweep: what members of a deleted organization have queued of it, some rows at a " +
		"time",
	"erasure.EraseMembers":    "the sweep: members of a deleted organization, some rows at a time",
	"searchindex.LeftOf":      "once in the life of an account, beside others",
	"erasure.FinishAccount":   "once in the life of an account",
	"erasure.EraseOwn":        "once in the life of an account, some rows at a time",
	"erasure.MutesNaming":     "once in the life of an account, beside others",
	"provision.MembersFrom":   "a directory that reads all people: a page of them",
	"provision.Keeps":         "when somebody gives itself another name: by an index of accounts",
	"Tx.DirectoryGroups":      "a directory that lists its groups",
	"Tx.DirectoryGroupNamed":  "a directory that looks for a group, or makes one",
	"Tx.ExternalGroups":       "a directory that looks for a group",
	"Tx.MembersOfEach":        "a directory that reads groups with their members",
	"Tx.MembersAfter":         "work in pieces: some members of an organization; and a page of a console",
	"Tx.MembersAmong":         "a change of a profile: those who read now, some at a time",
	"presence.Readers":        "a change of a profile: those who read now",
	"legalhold.Over":          "once in the life of an account, beside others",
	"legalhold.MessagesIn":    "an export of messages under a hold",
	"erasure.MessagesWith":    "a count for the command line",
	"erasure.OnlyIn":          "an erasure from the command line",
	"Tx.NamesOfOrganizations": "a page of the audit log with names: the organizations that it names",
	"Tx.Accounts":             "those of a page, or of a group's members",
	"Tx.AddGroupMembers":      "those who join a group: all on the group's shard",
	"Tx.AskMembers":           "a message, unless it was just read: whether its sender and recipient belong there",
	"presence.CloseStreams":   "the streams that ended at one time on a node",
	"Tx.AskCountEvents":       "a look at the queue's length: the queue, and the messages in it",
	"Tx.CountMembers":         "when an organization is shown, or a directory reads all people",
	"Tx.DeleteErasures":       "the sweep",
	"Tx.DeleteExpiredKeys":    "the sweep",
	"quota.DeleteBefore":      "the sweep",
	"quota.PastCounts":        "the sweep",
	"quota.TakeOf":            "once in the life of an account",
	"quota.By":                "an erasure from the command line",
	"quota.PastTold":          "the sweep, once an hour",
	"Tx.QueueNoticeOnce": "an administrator of another organization issues a key: the account's keys, and its " +
		"queue",
	"Tx.supersede":            "a role or a membership is asked for: the administrators who are told",
	"Tx.supersedeAbroad":      "settings of an organization: some hundred of its members at a time",
	"Tx.DeleteRequestsBefore": "the sweep",
	"presence.DeleteStreams":  "the streams that ended at one time on a node",
	"Tx.Deliveries": "a look at statuses, or an export of messages under a hold: each message where that " +
		"lies",
	"Tx.AskDeliveriesTo": "a look at statuses, or their change: each message where that lies",
	"Tx.MessageHeads":    "a look at statuses, or their change: each message where that lies",
	"Tx.ConfirmedBy":     "a page of a group's conversation where somebody has confirmed a message: as its statuses",
	"Tx.GrownQueues":     "the sweep: the few queues that have grown",
	"Tx.Withdrawn":       "when a conversation is removed: each message in the queue where that lies",
	"Tx.EndedMessages":   "the sweep",
	"Tx.EndOf":           "the sweep",
	"threads.readIndex": "each page of a conversation: its last messages on each shard, by the index of its thread. " +
		"Where an index is spread by its own first columns (YugabyteDB, CockroachDB), it is one",
	"threads.readSome":      "each page of a conversation: each message that its node does not remember where that lies",
	"threads.Places":        "a search in messages: of each conversation the next ones, as for a page of it",
	"threads.EachContent":   "a search in messages: each message that is looked at where it lies",
	"Tx.PastConversation":   "a search in messages that finds one of a group that its reader has left",
	"threads.Unread":        "when a conversation is marked Read: as for a page",
	"Tx.RemoveGroupMembers": "those who leave a group: its shard, and theirs",
	"threads.Statuses":      "a page of a group's conversation: the caller's own messages, each where that lies",
	"Tx.Conversations":      "a page of conversations: the account's shard, and those of its groups by an index",
	"erasure.Unreadable": "the sweep, where somebody has left or removed a conversation: a thousand messages at a " +
		"time",
	"erasure.UnreadableAmong": "the sweep, of what it has found so",
	"Tx.Erasures":             "the sweep",
	"Tx.Arrivals": "each acknowledgement: the queue, each message in it where that lies, and the senders' " +
		"organizations",
	"Tx.readCarried": "a poll that finds messages which its node does not remember: the queue, and each " +
		"message in it where that lies",
	"overview.OrganizationNames":  "a list of organizations for a console",
	"overview.OrganizationsAmong": "a page of a console",
	"overview.CountsOf":           "a page of a console",
	"overview.countRequests":      "a page of a console, and an organization by itself",
	"overview.KeyOwnersAfter":     "a page of a console",
	"overview.RequestsAfter":      "a page of a console",
	"overview.PendingRoles":       "a page of a console",
	"Tx.KeysOfEach":               "a page of a console",
	"overview.QueuesIn":           "a page of a console",
	"presence.StreamsOfEach":      "a page of a console",
	"overview.WithUndelivered":    "a page of a console",
	"overview.Undelivered":        "a page of a console: a queue, and copies of the messages in it",
	"overview.SentBefore":         "a page of a console: messages of an organization in the order of their tokens",
	"overview.CountNew":           "a page of a console",
	"overview.UsageOf":            "a page of a console: messages of an organization",
	"overview.AttachmentsOf":      "a page of a console, and once an hour on one server: what messages attach",
	"overview.JoinsAfter":         "a page of a console: what is asked for, which is little",
	"Tx.JoinRequestsOf":           "a page of a console",
	"overview.FiguresOfGroups":    "a page of a console",
	"Tx.GroupsAmong":              "the groups on a page of a search",
	"Tx.GroupOfEveryone":          "when somebody joins an organization: by an index with a row of each organization",
	"Tx.GroupsIn":                 "once in the life of an organization",
	"Tx.FirstGroupsIn":            "the sweep: groups of a deleted organization, some at a time",
	"Tx.GroupsOf":                 "when somebody leaves an organization",
	"Tx.HasOperator":              "at the start",
	"Tx.HasOrganization":          "at the start",
	"Tx.Holders":                  "when a role is asked for",
	"threads.FindPart":            "a page of a group's history: the group's shard, and the reader's",
	"Tx.InsertGroupDeliveries":    "each message to a group: the group's shard and the message's",
	"Tx.InsertGroupEvents":        "each message to a group: as many as the members lie on",
	"Tx.InsertEvents": "what the members of a group or an organization are told: some hundred of them at a " +
		"time",
	"Tx.AskGroupReaders":      "each message to a group: its shard, and what is noted in its organization's",
	"piecework.NotePiece":     "a call that concerns many: a group's, in the organization's shard",
	"Tx.deleteUpdates":        "a change of a group: some of its members at a time",
	"piecework.HistoryStart":  "when somebody joins a group that shows its history",
	"piecework.LockHistory":   "when somebody joins a group that shows its history",
	"piecework.QueueLate":     "a message to a large group: some hundred of its readers at a time",
	"piecework.queueCopies":   "as QueueLate, or some of a group's earlier messages for new members",
	"piecework.QueueWaiting":  "somebody leaves a group: its shard, and what was sent while its history came",
	"piecework.moveWaiting":   "as QueueWaiting, or some of a group's earlier messages for new members",
	"piecework.Replay":        "some of a group's earlier messages for new members",
	"piecework.replayMessage": "one of a group's earlier messages for new members",
	"piecework.countReplayed": "some of a group's earlier messages for new members",
	"overview.WorkLeft":       "each node, when metrics are asked for and 10 s have passed",
	"sealing.KeyEndings":      "the sweep",
	"Tx.Keys":                 "the list of an account's keys",
	"Tx.AllLoginKeys":         "a changed password",
	"Tx.CountKeys":            "a login, and each key that is issued",
	"Tx.DeleteKeys":           "a login, a revocation, a changed password: at most 100 keys",
	"Tx.EndMadeWith":          "the same, and a rotation",
	"Tx.KeysIssuedWith":       "a login, a revocation, a rotation, a changed password",
	"Tx.AskDisabledAmong":     "an administrative call; each node, of its open streams, once a minute",
	"Tx.AskAccessChanges":     "each node, every 0.75 s: who lost access in the last two minutes",
	"Tx.ForgetAccessOf":       "an erasure: whose access is not to be named any more, in the log of two minutes",
	"Tx.LimitKeys":            "an operator changes the limits of a key",
	"Tx.LimitsOf":             "a login with a password",
	"Tx.LoginKeys":            "a login",
	"Tx.AskKeysNamed":         "a call that changes something: its key; each node, of its open streams, once a minute",
	"Tx.checkAccounts":        "each node once an hour, all rows",
	"Tx.checkKeys":            "likewise",
	"Tx.checkJoinRequests":    "likewise",
	"Tx.checkMemberships":     "likewise",
	"Tx.checkRoles":           "likewise",
	"Tx.checkWebhooks":        "likewise",
	"Tx.checkProviders":       "likewise",
	"Tx.checkDomains":         "likewise",
	"Tx.checkSubjects":        "likewise",
	"Tx.checkSignIns":         "likewise",
	"Tx.ProvidersAfter":       "a check of the keys: some at a time",
	"Tx.ShownProviders":       "a sign-in page: those that an operator has it show, which are few",
	"Tx.DomainsOf":            "a page of a console",
	"Tx.DeleteProvider":       "once in the life of a provider",
	"Tx.DropSubjectKeys":      "the sweep",
	"Tx.DeleteSignInsBefore":  "the sweep",
	"Tx.checkPasskeys":        "likewise",
	"Tx.checkAllowances":      "likewise",
	"Tx.NoteChallenge":        "somebody signs in with a passkey: a few that are over, by an index",
	"Tx.KeysProvenBy":         "somebody removes a passkey: the account's keys",
	"Tx.DeletePasskeyRest":    "the sweep, once an hour",
	"Tx.WebhooksAfter":        "a check of the keys: some at a time",
	"Tx.NoteEraseKept":        "the first webhook of an account: the jobs that are due at one time",
	"Tx.KeepEvents":           "an acknowledgement, where there are webhooks: from a queue to what lies beside it",
	"Tx.WebhookAccounts":      "each node, every five seconds: the accounts with webhooks, which are few",
	"Tx.AwaitedWebhooks":      "each node, every five seconds, where there are webhooks: those that no job delivers",
	"presence.LapsedNode":     "each node, a small table and the streams of it",
	"Tx.LastPositions":        "each node, of its open streams, every few seconds",
	"Tx.LockGroup":            "when a group changes",
	"Tx.LockGroups":           "when a group changes",
	"Tx.LockCopies":           "a mark: those of the messages",
	"Tx.LockMessages":         "a recall, a forward or an escalation: one, or those of the escalation",
	"Tx.MembershipsIn":        "the members of a group, the entries of a page",
	"Tx.MembershipsOfEach":    "the members of a group, when they are shown",
	"sealing.MessagesAfter":   "a check of the keys",
	"sealing.MessagesLeft":    "before a key is destroyed",
	"erasure.MessagesOf":      "once in the life of an organization",
	"metadata.After":          "a check of the keys",
	"Tx.MutualRoster":         "when an account comes or goes: its roster, and those of the accounts in it",
	"Tx.NextQueue":            "the sweep",
	"rota.Leave":              "when somebody leaves an organization: by an index of accounts in rotas",
	"rota.PlacesOf":           "an archive of a person's data: by an index of accounts in rotas",
	"rota.NoteAway":           "when somebody is disabled or enabled: by an index of accounts in rotas",
	"notes.After":             "a check of the keys",
	"notes.DeleteBefore":      "housekeeping, once an hour",
	"notes.Left":              "before a key is destroyed",
	"notes.Naming":            "once in the life of an account",
	"notes.Spans":             "a page with notes: the shards of the reader and of the group",
	"notes.readNames":         "a page with notes: whether those whom they name are being erased",
	"overview.BacklogAt":      "each node, when metrics are asked for and 10 s have passed",
	"overview.failing":        "each node, when metrics are asked for: an index of those that fail",
	"overview.ReaderUses":     "each node, when metrics are asked for: of 200 accounts with something queued at a time",
	"overview.QueueLengths":   "each node, when metrics are asked for, at most a hundredth of the time",
	"Tx.Roster":               "the roster of an account: its own shard, and those of its groups by an index",
	"Tx.Unread": "each count of unread messages, for what is not swept; it is what spreads worst, and " +
		"what to change first (an index by account)",
	"Tx.noteEndedInGroup":         "a recall, or the sweep: the group's shard and the message's",
	"Tx.NoteEnded":                "a recall, or the sweep: all who have the message",
	"Tx.Operators":                "at the start",
	"Tx.AskOrganizationsOfEach":   "each node, of its open streams, once a minute",
	"searchindex.PrivateGroupsOf": "each search that includes groups",
	"presence.StreamsOn":          "when a node has lapsed",
	"presence.AskStreamsToEnd":    "each node, every 0.75 s",
	"Tx.UnsweptUnread":            "each roster, likewise",
	"presence.StreamScopes": "when streams have ended, for all of a node at once, and when one begins that asks who is " +
		"present",
	"Tx.WithdrawMessage":        "a recall, or the sweep: all who have the message",
	"subscriptions.Put":         "a browser subscribes: its former owner, by an index",
	"subscriptions.OfEach":      "a message to people whose browsers are told: theirs; later these by an index",
	"subscriptions.Recipients":  "the same: copies beside the message, people and mutes of each",
	"subscriptions.Owners":      "when a server starts, a few thousand at a time",
	"subscriptions.OwnersSince": "each server, each second: an index of what is new",
	"erasure.RoutesTo":          "once in the life of an account: organizations whose alert routes name it",
	"erasure.releaseAvatarOf":   "once in the life of a picture",
	"postgres.session.advance":  "a message to more than eight accounts: their queues",
	"postgres.session.ChangeAccess": "a revocation, or members of a deleted organization, some at a time: their " +
		"queues",
	"postgres.memberSession.ChangeAccess": "a revocation, or members of a deleted organization, some at a time: their " +
		"queues",
}

// rooms are the packages below this one that have statements.
var rooms = []string{"auditlog", "authorship", "erasure", "legalhold", "metadata", "notes", "overview", "piecework",
	"presence", "provision", "quota", "rota", "sealing", "searchindex", "series", "subscriptions", "tablecopy", "threads"}

// silent are functions whose statements name no table of the platform: what others
// give them, and what asks the server about itself.
var silent = []string{"postgres.Engine.analyzeGrown", "postgres.Engine.ClockOffset", "postgres.Engine.Cluster",
	"postgres.Engine.Size", "postgres.Engine.prepare", "Tx.columns", "MakeMeta", "Tx.runAll", "Tx.wantShape",
	"postgres.meet", "postgres.session.Query", "postgres.memberSession.Query", "postgres.session.end"}

// whole are functions that go over tables as they come, by names that the sources
// do not tell: of moves, backups and what a server does beside its calls.
var whole = []string{"tablecopy.Copy.wipe", "postgres.Engine.Analyze", "TakeCensus", "tablecopy.table.insert",
	"tablecopy.table.read"}

func TestEachStatementIsKnownToStayOnAShardOrWhyNot(t *testing.T) {
	reaches := map[string]reach{}
	seen := 0
	for _, directory := range slices.Concat([]string{"."}, rooms, []string{"postgres"}) {
		for _, s := range statementsIn(t, directory) {
			r, err := reachOf(s.sql)
			if err != nil && slices.Contains(silent, s.by) {
				continue
			}
			seen++
			if slices.Contains(whole, s.by) {
				r, err, s.sql = allShards, nil, ""
			}
			if err != nil || strings.Contains(s.sql, unread) {
				t.Errorf("%s: %q cannot be judged (%v): teach internal/store/statement_test.go how it is put together", s.by, s.sql,
					err)
				continue
			}
			reaches[s.by] = max(reaches[s.by], r)
		}
	}
	if seen < 150 {
		t.Errorf("only %d statements were found", seen)
	}
	var list strings.Builder
	names := map[reach]string{oneShard: "one shard", someShards: "some shards", allShards: "all shards"}
	for _, by := range slices.Sorted(maps.Keys(reaches)) {
		r := reaches[by]
		if r == oneShard {
			fmt.Fprintf(&list, "%s: %s\n", by, names[r])
			continue
		}
		why := spreading[by]
		if why == "" {
			t.Errorf("%s touches more than one shard, and nothing says why that is borne: say so in spreading, or give it the "+
				"key of the table", by)
		}
		fmt.Fprintf(&list, "%s: %s: %s\n", by, names[r], why)
	}
	for by := range spreading {
		if reaches[by] == oneShard && !slices.Contains(silent, by) {
			t.Errorf("%s is said to touch several shards, and does not", by)
		}
	}
	got, err := os.ReadFile(reachFile)
	if err != nil {
		t.Fatal(err)
	}
	wantWritten(t, reachFile, string(got), list.String())
}

func TestEachTableHasADistributionKey(t *testing.T) {
	primary := regexp.MustCompile(`(?s)CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+) \((.*?)PRIMARY KEY \(([^)]*)\)`)
	texts := []string{strings.Join(schema.Statements(schemaSQL), ";\n")}
	table, err := os.ReadFile("postgres/table.go")
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(table))
	var list strings.Builder
	list.WriteString("| table | distribution key | because |\n|---|---|---|\n")
	seen := map[string]bool{}
	for _, text := range texts {
		if strings.Count(text, "CREATE TABLE") != len(primary.FindAllString(text, -1)) {
			t.Error("a table has no primary key: rows without one cannot be spread, nor replicated")
		}
		for _, m := range primary.FindAllStringSubmatch(text, -1) {
			d, known := distribution[m[1]]
			if !known {
				t.Errorf("table %s has no distribution key: give it one in distribution", m[1])
				continue
			}
			listed := seen[m[1]]
			seen[m[1]] = true
			// A unique key that lacks it would have to be looked for on all shards.
			if d.key != "" && !slices.Contains(strings.Split(m[3], ", "), d.key) {
				t.Errorf("table %s: its primary key (%s) does not contain its distribution key %s", m[1], m[3], d.key)
			}
			if listed { // a later version makes it anew
				continue
			}
			if d.key == "" {
				fmt.Fprintf(&list, "| `%s` | none: a copy on every shard | %s |\n", m[1], d.why)
				continue
			}
			fmt.Fprintf(&list, "| `%s` | `%s` | %s |\n", m[1], d.key, d.why)
		}
	}
	for name := range distribution {
		if !seen[name] {
			t.Errorf("distribution knows a table %s that does not exist", name)
		}
	}
	wantListed(t, scalingPage, "tables", list.String())
}

// wantListed compares what is between two marks of a page with what the sources say,
// or with -update writes it.
func wantListed(t *testing.T, file, name, want string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(string(page), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no marks %q and %q", file, begin, end)
	}
	wantWritten(t, file, string(page), before+begin+want+end+after)
}

// wantWritten compares a file with what the sources say, or with -update writes it.
func wantWritten(t *testing.T, file, got, want string) {
	t.Helper()
	if got == want || t.Failed() {
		return
	}
	if !*update {
		t.Errorf("%s is not what the sources say: look at the change with\n\tgo test ./internal/store -run "+
			"'Shard|Distribution|Capacity' -update && git diff", file)
		return
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReachOfAStatement(t *testing.T) {
	for sql, want := range map[string]reach{
		"SELECT 1 FROM accounts WHERE account = ?":                                                             oneShard,
		"SELECT 1 FROM accounts a WHERE a.account = ?":                                                         oneShard,
		"SELECT 1 FROM accounts WHERE account IN (?*)":                                                         someShards,
		"SELECT 1 FROM accounts WHERE username = ?":                                                            allShards,
		"SELECT 1 FROM accounts":                                                                               allShards,
		"SELECT 1 FROM roles a JOIN roles b ON b.role = a.role WHERE a.account = ? AND b.account = ?":          someShards,
		"DELETE FROM nodes WHERE lease < ?":                                                                    oneShard,
		"SELECT 1 FROM events e JOIN conversations c ON c.account = e.account WHERE e.account = ?":             oneShard,
		"SELECT 1 FROM events e JOIN messages m ON m.message = e.message WHERE e.account = ?":                  someShards,
		"SELECT 1 FROM events e JOIN messages m ON m.organization = e.organization WHERE e.account = ?":        allShards,
		"INSERT INTO events (account, position) VALUES (?, ?)":                                                 oneShard,
		"INSERT INTO events (account, position) SELECT account, ? FROM group_members WHERE group_token = ?":    someShards,
		"INSERT INTO deliveries (message, account) SELECT ?, account FROM group_members WHERE group_token = ?": someShards,
		"INSERT INTO events (account, position) SELECT account, ? FROM group_members WHERE organization = ?":   allShards,
		"DELETE FROM events WHERE (account, position) IN " +
			"(SELECT account, position FROM deliveries WHERE message = ?)": someShards,
		"DELETE FROM events WHERE (organization, account, position) IN " +
			"(SELECT organization, account, position FROM events WHERE account = ?)": someShards,
		"DELETE FROM events WHERE (organization, position) IN " +
			"(SELECT organization, position FROM events WHERE account = ?)": allShards,
		"UPDATE messages SET message = ? WHERE organization = ?": allShards,
	} {
		got, err := reachOf(sql)
		if err != nil || got != want {
			t.Errorf("%s: %d, error %v, want %d", sql, got, err, want)
		}
	}
	if _, err := reachOf("SELECT 1 FROM nowhere"); err == nil {
		t.Error("a table that is not known was judged")
	}
}
