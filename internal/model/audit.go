package model

import "time"

// AuditAction says what was done, or tried. The codes are stable and documented in
// docs/operate/audit.md.
type AuditAction string

// The closed set of actions.
const (
	ActionAuditBegin  AuditAction = "audit.begin" // of an organization's chain, in the platform's
	ActionAuditRead   AuditAction = "audit.read"
	ActionAuditExport AuditAction = "audit.export"
	ActionAuditKey    AuditAction = "audit.key" // another key signs from here on
	ActionAccess      AuditAction = "access"    // refused, of a call that is no administrative act
	ActionMore        AuditAction = "more"      // further acts of a regular key on a day, which have no line

	ActionLogin       AuditAction = "login"
	ActionLogout      AuditAction = "logout"
	ActionPasswordSet AuditAction = "password.set"
	ActionElevate     AuditAction = "session.elevate"
	ActionLower       AuditAction = "session.lower"

	ActionUserLookup   AuditAction = "user.lookup"
	ActionUserRead     AuditAction = "user.read" // by an operator who shares no organization with the account
	ActionUnreadRead   AuditAction = "unread.read"
	ActionUserCreate   AuditAction = "user.create"
	ActionUserUpdate   AuditAction = "user.update" // of anything but a name, by an administrator
	ActionUserRename   AuditAction = "user.rename" // by anybody, itself included
	ActionUserErase    AuditAction = "user.erase"
	ActionUserExport   AuditAction = "user.export" // begun
	ActionMemberAdd    AuditAction = "member.add"
	ActionMemberRemove AuditAction = "member.remove"
	ActionMemberList   AuditAction = "member.list"
	ActionRoleList     AuditAction = "role.list"
	ActionRoleGrant    AuditAction = "role.grant"
	ActionRoleRevoke   AuditAction = "role.revoke"

	ActionOrganizationCreate AuditAction = "organization.create"
	ActionOrganizationRead   AuditAction = "organization.read"
	ActionOrganizationUpdate AuditAction = "organization.update"
	ActionOrganizationDelete AuditAction = "organization.delete"
	ActionHoldSet            AuditAction = "hold.set"
	ActionHoldRelease        AuditAction = "hold.release"
	ActionHoldExport         AuditAction = "hold.export"

	ActionGroupCreate       AuditAction = "group.create" // by an operator who is not in the organization
	ActionGroupUpdate       AuditAction = "group.update" // by an administrator who is no member, as what follows
	ActionGroupDelete       AuditAction = "group.delete" // by any account
	ActionGroupMemberAdd    AuditAction = "group.member.add"
	ActionGroupMemberRemove AuditAction = "group.member.remove"
	ActionGroupRead         AuditAction = "group.read"
	ActionGroupDutySet      AuditAction = "group.duty.set" // by any account, as the next
	ActionGroupDutyEnd      AuditAction = "group.duty.end"
	ActionUserDisable       AuditAction = "user.disable"
	ActionUserEnable        AuditAction = "user.enable"
	ActionMessageRecall     AuditAction = "message.recall" // by an administrator
	ActionEscalationSet     AuditAction = "escalation.set" // a policy
	ActionEscalationRemove  AuditAction = "escalation.remove"
	ActionMetadataRead      AuditAction = "metadata.read"
	ActionMetadataSet       AuditAction = "metadata.set"
	ActionMetadataDelete    AuditAction = "metadata.delete"

	ActionStatusRead     AuditAction = "status.read"
	ActionSettingsRead   AuditAction = "settings.read"
	ActionQueueList      AuditAction = "queue.list"
	ActionUndelivered    AuditAction = "message.undelivered"
	ActionMessageList    AuditAction = "message.list"
	ActionKeyList        AuditAction = "key.list"
	ActionKeyIssue       AuditAction = "key.issue"
	ActionKeyRevoke      AuditAction = "key.revoke"
	ActionKeyRotate      AuditAction = "key.rotate"
	ActionKeyLimit       AuditAction = "key.limit"
	ActionKeyLabel       AuditAction = "key.label"
	ActionWebhookRead    AuditAction = "webhook.read"
	ActionWebhookCreate  AuditAction = "webhook.create"
	ActionWebhookUpdate  AuditAction = "webhook.update"
	ActionWebhookDelete  AuditAction = "webhook.delete"
	ActionWebhookTest    AuditAction = "webhook.test"
	ActionWebhookRotate  AuditAction = "webhook.rotate"
	ActionWebhookDisable AuditAction = "webhook.disable" // by the server: its receiver does not answer, or its key ended
	ActionIdentityRead   AuditAction = "identity.read"
	ActionIdentitySet    AuditAction = "identity.set" // the provider with which members of an organization sign in
	ActionIdentityRemove AuditAction = "identity.remove"
	ActionIdentityTest   AuditAction = "identity.test"
	ActionIdentityLink   AuditAction = "identity.link" // the provider vouches for an account for the first time
	ActionIdentityForget AuditAction = "identity.forget"
	ActionPasskeyList    AuditAction = "passkey.list"
	ActionPasskeyMake    AuditAction = "passkey.make"
	ActionPasskeyRemove  AuditAction = "passkey.remove"
	ActionPasskeyAllow   AuditAction = "passkey.allow" // one more, where its owner could not make it
	ActionOperatorMake   AuditAction = "operator.create"
	ActionOperatorReset  AuditAction = "operator.reset"
	ActionOperatorEnd    AuditAction = "operator.end"

	ActionRowForged AuditAction = "row.forged" // a row that gives access, and that no server wrote, was found

	ActionRingRotate    AuditAction = "keyring.rotate"
	ActionRingExport    AuditAction = "keyring.export"
	ActionClockAccept   AuditAction = "clock.accept"
	ActionRingImport    AuditAction = "keyring.import"
	ActionAdopt         AuditAction = "installation.adopt"
	ActionPromote       AuditAction = "installation.promote"
	ActionBackupCreate  AuditAction = "backup.create"
	ActionBackupRestore AuditAction = "backup.restore"
)

const (
	// AuditOK is the outcome of an act; the outcome of a refusal is the code of the error.
	AuditOK = "ok"
	// AuditRefused stands for every outcome but AuditOK where lines are looked for.
	AuditRefused = "refused"
)

// Reads reports whether an act of this kind only shows something. An export takes it away, and is
// no mere reading.
func (a AuditAction) Reads() bool {
	switch a {
	case ActionAuditRead, ActionUserLookup, ActionUserRead, ActionUnreadRead, ActionMemberList, ActionRoleList,
		ActionOrganizationRead, ActionGroupRead, ActionMetadataRead, ActionStatusRead, ActionSettingsRead, ActionQueueList,
		ActionUndelivered, ActionMessageList, ActionKeyList, ActionWebhookRead, ActionIdentityRead,
		ActionPasskeyList:
		return true
	}
	return false
}

// AuditNames are names as a line user.rename tells them: those that were changed, by field.
type AuditNames struct {
	Old map[string]string `json:"old"`
	New map[string]string `json:"new"`
}

// AuditEntry is one line of the audit log: who did what on whom, from where, when, and with what
// outcome. It names people by their tokens only, and holds neither content nor secrets: of
// changed names it has a hash. Its JSON, with the fields in this order, is what is hashed, so
// that a field is only ever added at the end, with omitzero.
type AuditEntry struct {
	Chain   OrganizationID `json:"chain"`  // the organization whose log it is in; empty: the platform's
	Number  int64          `json:"number"` // from 1, without gaps
	Time    AuditTime      `json:"time"`   // never before that of the entry before
	Action  AuditAction    `json:"action"`
	Outcome string         `json:"outcome"`
	Times   int64          `json:"times"` // how often, where refusals were put together; else 1
	Account AccountID      `json:"account,omitzero"`
	Key     string         `json:"key,omitempty"` // the name of the key that was used
	// of the client; "command" for the command line of the server's machine
	Address      string         `json:"address,omitempty"`
	RequestID    string         `json:"request_id,omitempty"`
	Organization OrganizationID `json:"on_organization,omitempty"`
	User         AccountID      `json:"on_account,omitzero"`
	Group        GroupID        `json:"on_group,omitzero"`
	OnKey        string         `json:"on_key,omitempty"`
	Detail       string         `json:"detail,omitempty"` // such as which settings; from a closed vocabulary, but for reasons
}

// AuditTime is a time as the audit log writes it: milliseconds, UTC.
type AuditTime struct{ time.Time }

const auditTimeForm = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time.
func (t AuditTime) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(auditTimeForm) + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *AuditTime) UnmarshalJSON(text []byte) (err error) {
	t.Time, err = time.Parse(`"`+auditTimeForm+`"`, string(text))
	return err
}
