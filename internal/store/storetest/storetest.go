// Package storetest runs the whole store on an engine, one file a noun. An engine's own
// test is one line:
//
//	func TestConformance(t *testing.T) { storetest.Run(t, conformance.Harness{Open: openTemp}) }
//
// It owns the cases and nothing else. It knows neither which engine runs nor how that
// keeps its data; conformance has the cases about the engine alone.
package storetest

import (
	"testing"

	"signet/internal/store/conformance"
)

// nounCases are about what the store keeps: between them they run every statement.
var nounCases = []conformance.Case{
	{Name: "Reopening", Run: reopening},
	{Name: "LargeBatches", Run: largeBatches},
	{Name: "StatementCount", Run: statementCount},
	{Name: "Erase", Run: erase},
	{Name: "Accounts", Run: accounts},
	{Name: "Codes", Run: codes},
	{Name: "Addresses", Run: addresses},
	{Name: "Organizations", Run: organizations},
	{Name: "OrganizationNumbers", Run: organizationNumbers},
	{Name: "Memberships", Run: memberships},
	{Name: "JoinRequests", Run: joinRequests},
	{Name: "Roles", Run: roles},
	{Name: "Keys", Run: keys},
	{Name: "Quotas", Run: quotas},
	{Name: "Messages", Run: messages},
	{Name: "MessageEnds", Run: messageEnds},
	{Name: "Deliveries", Run: deliveries},
	{Name: "Arrivals", Run: arrivals},
	{Name: "StatusEvents", Run: statusEvents},
	{Name: "Events", Run: events},
	{Name: "EventKinds", Run: eventKinds},
	{Name: "QueueFilter", Run: queueFilter},
	{Name: "Conversations", Run: conversations},
	{Name: "Threads", Run: threadReads},
	{Name: "Pages of conversations", Run: conversationPages},
	{Name: "UnreadCounters", Run: unreadCounters},
	{Name: "LaterMessages", Run: laterMessages},
	{Name: "Requests", Run: requests},
	{Name: "Blobs", Run: blobs},
	{Name: "Avatars", Run: avatars},
	{Name: "Groups", Run: groups},
	{Name: "GroupMembers", Run: groupMembers},
	{Name: "Rotas", Run: rotas},
	{Name: "Provisioned", Run: provisioned},
	{Name: "DirectoryGroups", Run: directoryGroups},
	{Name: "DirectoryNames", Run: directoryNames},
	{Name: "Histories", Run: histories},
	{Name: "HistoriesOfThoseWhoLeave", Run: historiesOfThoseWhoLeave},
	{Name: "Pieces", Run: pieces},
	{Name: "RecallsInPieces", Run: recallsInPieces},
	{Name: "Metadata", Run: keptMetadata},
	{Name: "Mutes", Run: mutes},
	{Name: "PushSubscriptions", Run: pushSubscriptions},
	{Name: "PushRecipients", Run: pushRecipients},
	{Name: "Escalations", Run: escalations},
	{Name: "EscalationPolicies", Run: escalationPolicies},
	{Name: "AccountErasure", Run: accountErasure},
	{Name: "OrganizationErasure", Run: organizationErasure},
	{Name: "ErasureOfQueues", Run: erasureOfQueues},
	{Name: "Departures", Run: departures},
	{Name: "Jobs", Run: jobs},
	{Name: "JobsOfSeveralServers", Run: jobsOfSeveral},
	{Name: "Passkeys", Run: passkeys},
	{Name: "PasskeyChallenges", Run: passkeyChallenges},
	{Name: "Webhooks", Run: webhooks},
	{Name: "WebhookDeliveries", Run: webhookDeliveries},
	{Name: "WebhooksOfKeys", Run: webhooksOfKeys},
	{Name: "KeptEvents", Run: keptEvents},
	{Name: "Providers", Run: providers},
	{Name: "Subjects", Run: subjects},
	{Name: "SignIns", Run: signIns},
	{Name: "Nodes", Run: nodes},
	{Name: "Streams", Run: streams},
	{Name: "ManyAtOnce", Run: manyAtOnce},
	{Name: "AccessChanges", Run: accessChanges},
	{Name: "AccessOrder", Run: accessOrder},
	{Name: "KeyDays", Run: keyDays},
	{Name: "KeyEndings", Run: keyEndings},
	{Name: "Sealing", Run: sealedRows},
	{Name: "Backlog", Run: backlog},
	{Name: "QueueLengths", Run: queueLengths},
	{Name: "ReaderUses", Run: readerUses},
	{Name: "BackupNotes", Run: backupNotes},
	{Name: "Withdrawals", Run: withdrawals},
	{Name: "QueueLimit", Run: queueLimit},
	{Name: "SearchEntities", Run: searchEntities},
	{Name: "Overview", Run: overviews},
	{Name: "SearchWords", Run: searchWords},
	{Name: "Figures", Run: figures},
	{Name: "AuditFilters", Run: auditFilters},
	{Name: "AuditNames", Run: auditNames},
}

// Run plays the whole suite against an engine: first what is about the engine alone,
// because a failure there explains those of the others.
func Run(t *testing.T, h conformance.Harness) {
	conformance.Play(t, h, conformance.Cases)
	RunNouns(t, h)
}

// RunNouns plays only what runs every statement of the store once, for an engine's
// tests that look at the statements.
func RunNouns(t *testing.T, h conformance.Harness) { conformance.Play(t, h, nounCases) }
