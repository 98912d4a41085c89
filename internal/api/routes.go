package api

import (
	"context"
	"net/http"

	"signet/internal/api/input"
	"signet/internal/content"
	"signet/internal/model"
	"signet/internal/people"
	"signet/openapi"
)

// handler is an endpoint: it reads the call, asks a service, and says what to
// answer. An error is written by the adapter; a *model.Error is what the caller
// may know, anything else is internal.
type handler func(ctx context.Context, c *call) (answer, error)

// route is one line of the table. The flags that are off suit most endpoints.
type route struct {
	method  string
	pattern string // `/v2/user/:user`; parameters start with a colon
	handler handler

	// public needs no credentials: the handler gets no actor, and no rate counts.
	public bool
	// signIn finds out who calls in place of a key and its secret; the call then has an
	// actor or, by a password, a proven account. The body of a sign-in is small.
	signIn func(ctx context.Context, c *call) error
	// anybody also lets those through who give no credentials: the handler then gets no actor.
	anybody bool
	// queryAuth also takes the credentials from the query `auth_basic`.
	queryAuth bool
	// file is a file, which a browser may go to with the cookie of a session.
	file bool
	// picture is what a page shows as one: the cookie counts where a browser asks so for it.
	picture bool
	// page is what a browser goes to for what comes after: a refusal is shown by the page that it goes on to.
	page bool
	// own refuses all foreign pages, those of configured origins too.
	own bool
	// oneFactor also lets those through who gave a password alone where their organization requires more: to make
	// a passkey, or to go on with one. Nothing else is open to them.
	oneFactor bool
	// admin refuses accounts that administer nothing (endpoints 27 to 36).
	admin bool
	// audit is the action under which the call leaves a line in the audit log; empty
	// for a call that leaves one only where it is refused.
	audit model.AuditAction
	// overseen calls leave a line too where they took an administrator, or changed a name, which the use
	// case finds out. What else members do with their own leaves none.
	overseen bool
	// exempt lets a caller past admin; nil exempts none. It sees the path and
	// the query, not the body.
	exempt func(ctx context.Context, c *call) bool
	// fields reads the body of a GET or DELETE, which is ignored otherwise. What it
	// lacks a DELETE takes from the query, else from headers.
	fields bool
	// bytes is what a body may have at least, whatever the limit of the others is.
	bytes int64
	// anyText takes a parameter that nothing could be named, in place of answering that
	// there is no such endpoint.
	anyText bool
	// changes reports whether a GET does more than read; nil says no.
	changes func(c *call) bool
	// scim is a call of SCIM: its key comes as a bearer token too, and never as a cookie; it is an administrative one of
	// one organization's scope; its bodies, answers and errors have forms of their own.
	scim bool
	// sends is a call that sends messages: its successes and failures are counted from before the first
	// one, so that an alert sees the first failure too.
	sends bool
	// reads is a POST that only reads: its answer may be refused, since it can be asked for again.
	reads bool
	// files are the fields that are files in a multipart body.
	files map[string]fileField
	// refuse tells before a file is kept that the call is refused whatever follows it.
	refuse func(ctx context.Context, c *call) error
}

// fileField is a field that takes a file.
type fileField = input.FileField[*content.Upload]

// routes is the one table of what the server answers: the 36 calls of the
// interface in its own order, what the contract adds to them, and what published
// clients call besides.
func (a *API) routes() []route {
	const (
		get  = http.MethodGet
		post = http.MethodPost
		put  = http.MethodPut
		del  = http.MethodDelete
	)
	return []route{
		{method: get, pattern: "/v2/events", handler: a.getEvents, queryAuth: true, changes: takesEvents},
		{method: del, pattern: "/v2/events", handler: a.deleteEvents, fields: true},
		{method: post, pattern: "/v2/events/ack", handler: a.ackEvents},

		{method: get, pattern: "/v2/user", handler: a.getSelf},
		{method: get, pattern: "/v2/user/:user", handler: a.getUser, overseen: true},
		{method: post, pattern: "/v2/user/:user", handler: a.updatePerson, audit: model.ActionUserUpdate, admin: true},
		{method: del, pattern: "/v2/user/:user", handler: a.eraseUser, audit: model.ActionUserErase, admin: true,
			fields: true},
		{method: post, pattern: "/v2/user/:user/settings", handler: a.updateSettings, overseen: true,
			files: a.avatarField()},
		{method: post, pattern: "/v2/user/:user/password", handler: a.setPassword, audit: model.ActionPasswordSet},
		{method: get, pattern: "/v2/user/:user/export", handler: a.exportUser, audit: model.ActionUserExport, file: true,
			changes: func(*call) bool { return true }},
		{method: post, pattern: "/v2/user/:user/disable", handler: a.setDisabled(true), audit: model.ActionUserDisable,
			admin: true},
		{method: post, pattern: "/v2/user/:user/enable", handler: a.setDisabled(false), audit: model.ActionUserEnable,
			admin: true},
		{method: get, pattern: "/v2/user/:user/organization", handler: a.getUserOrganizations, overseen: true},
		{method: get, pattern: "/v2/user/:user/organization/:organization", handler: a.getUserOrganization, overseen: true},

		{method: post, pattern: "/v2/group", handler: a.createGroup, overseen: true, files: a.avatarField()},
		{method: get, pattern: "/v2/group/:group", handler: a.getGroup, overseen: true},
		{method: post, pattern: "/v2/group/:group", handler: a.updateGroup, overseen: true, files: a.avatarField()},
		{method: del, pattern: "/v2/group/:group", handler: a.deleteGroup, overseen: true},
		{method: get, pattern: "/v2/group/:group/members", handler: a.getGroupMembers, overseen: true},
		{method: post, pattern: "/v2/group/:group/members", handler: a.addGroupMembers, overseen: true},
		{method: post, pattern: "/v2/group/:group/members/remove", handler: a.removeGroupMembers, overseen: true},
		{method: get, pattern: "/v2/group/:group/duty", handler: a.getDuty, overseen: true},
		{method: get, pattern: "/v2/group/:group/duty.ics", handler: a.getDutyCalendar, overseen: true},
		{method: post, pattern: "/v2/group/:group/duty", handler: a.setDuty, overseen: true},
		{method: del, pattern: "/v2/group/:group/duty", handler: a.endDuty, overseen: true},
		{method: post, pattern: "/v2/role_group", handler: a.createRoleGroup, overseen: true, files: a.avatarField()},

		{method: post, pattern: "/v2/message", handler: a.sendMessage, files: a.attachmentField(),
			refuse: a.refuseAttachment, sends: true},
		{method: get, pattern: "/v2/message/:message", handler: a.getMessage},
		{method: del, pattern: "/v2/message/:message", handler: a.recallMessage},
		{method: get, pattern: "/v2/message/:message/attachment/:number", handler: a.getAttachment, queryAuth: true,
			file: true, picture: true},
		{method: get, pattern: "/v2/message/:message/status", handler: a.getMessageStatus},
		{method: get, pattern: "/v2/message/:message/escalation", handler: a.getEscalation},
		{method: del, pattern: "/v2/message/:message/escalation", handler: a.cancelEscalation},
		{method: post, pattern: "/v2/message/:message/forward", handler: a.forwardMessage, sends: true},
		{method: post, pattern: "/v2/message/status", handler: a.setMessageStatus},
		{method: put, pattern: "/v2/message/status", handler: a.setMessageStatus},
		{method: post, pattern: "/v2/get_bulk_message_status", handler: a.getMessageStatuses},
		{method: post, pattern: "/v2/message/typing", handler: a.startTyping},
		{method: del, pattern: "/v2/message/typing/:recipient", handler: a.stopTyping, anyText: true},
		{method: del, pattern: "/v2/message/typing/:recipient/:sender", handler: a.stopTyping, anyText: true},

		{method: get, pattern: "/v2/metadata/:entity", handler: a.getMetadata, overseen: true},
		{method: post, pattern: "/v2/metadata/:entity", handler: a.setMetadata, overseen: true},
		{method: del, pattern: "/v2/metadata/:entity", handler: a.deleteMetadata, overseen: true, fields: true},
		{method: post, pattern: "/v2/metadata_bulk", handler: a.getMetadataBulk, overseen: true},

		{method: get, pattern: "/v2/roster", handler: a.getRoster},
		{method: post, pattern: "/v2/roster", handler: a.addToRoster},
		{method: del, pattern: "/v2/roster/:entity", handler: a.removeFromRoster, fields: true},
		{method: get, pattern: "/v2/conversation", handler: a.getConversations},
		{method: get, pattern: "/v2/conversation/:entity/message", handler: a.getHistory},
		{method: post, pattern: "/v2/conversation/:entity/read", handler: a.readConversation},
		{method: post, pattern: "/v2/conversation/search", handler: a.searchMessages, reads: true},
		{method: post, pattern: "/v2/search", handler: a.search, reads: true},
		{method: get, pattern: "/v2/user/:user/message/unread_count", handler: a.getUnread, overseen: true},
		{method: get, pattern: "/v2/user/:user/organization/:organization/message/unread_count",
			handler: a.getUnreadIn, overseen: true},

		{method: get, pattern: "/v2/mute", handler: a.getMutes},
		{method: del, pattern: "/v2/mute", handler: a.stopAllMutes},
		{method: post, pattern: "/v2/mute/p2p", handler: a.startMute},
		{method: del, pattern: "/v2/mute/p2p", handler: a.stopMute, fields: true},
		{method: post, pattern: "/v2/mute/group/:group", handler: a.startMute},
		{method: del, pattern: "/v2/mute/group/:group", handler: a.stopMute, fields: true},
		{method: post, pattern: "/v2/mute/organization/:organization", handler: a.startMute},
		{method: del, pattern: "/v2/mute/organization/:organization", handler: a.stopMute, fields: true},

		{method: get, pattern: "/v2/push", handler: a.getPush},
		{method: get, pattern: "/v2/user/me/push", handler: a.getSubscriptions},
		{method: post, pattern: "/v2/user/me/push", handler: a.subscribe},
		{method: del, pattern: "/v2/user/me/push/:id", handler: a.unsubscribe},

		{method: get, pattern: "/v2/user_lookup/:user", handler: a.lookupUser, audit: model.ActionUserLookup, admin: true},
		{method: post, pattern: "/v2/user", handler: a.createUser, audit: model.ActionUserCreate, admin: true},
		{method: post, pattern: "/v2/user/bulk", handler: a.createUsers, audit: model.ActionUserCreate, admin: true,
			bytes: people.Most * personBytes},
		{method: post, pattern: "/v2/user/:user/organization", handler: a.addMember,
			audit: model.ActionMemberAdd, admin: true, exempt: a.aboutSelf},
		{method: del, pattern: "/v2/user/:user/organization/:organization", handler: a.removeMember,
			audit: model.ActionMemberRemove, admin: true, exempt: a.aboutSelf},
		{method: get, pattern: "/v2/user/:user/organization/:organization/roles", handler: a.getRoles,
			audit: model.ActionRoleList, admin: true, exempt: a.aboutSelf},
		{method: post, pattern: "/v2/user/:user/organization/:organization/roles/:role", handler: a.grantRole,
			audit: model.ActionRoleGrant, admin: true, exempt: a.asksForAdmin},
		{method: del, pattern: "/v2/user/:user/organization/:organization/roles/:role", handler: a.revokeRole,
			audit: model.ActionRoleRevoke, admin: true},
		{method: post, pattern: "/v2/organization", handler: a.createOrganization,
			audit: model.ActionOrganizationCreate, admin: true},
		{method: post, pattern: "/v2/organization/:organization", handler: a.updateOrganization,
			audit: model.ActionOrganizationUpdate, admin: true},
		{method: get, pattern: "/v2/organization/:organization", handler: a.getOrganization,
			audit: model.ActionOrganizationRead, admin: true},
		{method: del, pattern: "/v2/organization/:organization", handler: a.deleteOrganization,
			audit: model.ActionOrganizationDelete, admin: true, fields: true},
		{method: get, pattern: "/v2/organization/:organization/audit", handler: a.getAudit,
			audit: model.ActionAuditRead, admin: true, changes: followsAudit},
		{method: del, pattern: "/v2/organization/:organization/message/:message", handler: a.recallMessageFor,
			audit: model.ActionMessageRecall, admin: true, fields: true},
		{method: post, pattern: "/v2/organization/:organization/hold", handler: a.setHold,
			audit: model.ActionHoldSet, admin: true},
		{method: del, pattern: "/v2/organization/:organization/hold", handler: a.releaseHold,
			audit: model.ActionHoldRelease, admin: true},
		{method: get, pattern: "/v2/organization/:organization/escalation", handler: a.listPolicies},
		{method: get, pattern: "/v2/organization/:organization/escalation/:name", handler: a.getPolicy},
		{method: post, pattern: "/v2/organization/:organization/escalation/:name", handler: a.setPolicy,
			audit: model.ActionEscalationSet, admin: true},
		{method: del, pattern: "/v2/organization/:organization/escalation/:name", handler: a.removePolicy,
			audit: model.ActionEscalationRemove, admin: true},
		{method: get, pattern: "/v2/organization", handler: a.listOrganizations,
			audit: model.ActionOrganizationRead, admin: true},
		{method: get, pattern: "/v2/organization/:organization/member", handler: a.listMembers,
			audit: model.ActionMemberList, admin: true},
		{method: get, pattern: "/v2/organization/:organization/group", handler: a.listGroups,
			audit: model.ActionGroupRead, admin: true},
		{method: get, pattern: "/v2/organization/:organization/request", handler: a.listRequests,
			audit: model.ActionRoleList, admin: true},
		{method: get, pattern: "/v2/organization/:organization/key", handler: a.listOrganizationKeys,
			audit: model.ActionKeyList, admin: true},
		{method: get, pattern: "/v2/organization/:organization/queue", handler: a.listQueues,
			audit: model.ActionQueueList, admin: true},
		{method: get, pattern: "/v2/organization/:organization/undelivered", handler: a.listUndelivered,
			audit: model.ActionUndelivered, admin: true},
		{method: get, pattern: "/v2/organization/:organization/message", handler: a.listMessages,
			audit: model.ActionMessageList, admin: true},
		{method: get, pattern: "/v2/organization/:organization/history", handler: a.getOrganizationHistory,
			audit: model.ActionOrganizationRead, admin: true},
		{method: get, pattern: "/v2/organization/:organization/identity", handler: a.getIdentity,
			audit: model.ActionIdentityRead, admin: true},
		{method: post, pattern: "/v2/organization/:organization/identity", handler: a.setIdentity,
			audit: model.ActionIdentitySet, admin: true},
		{method: del, pattern: "/v2/organization/:organization/identity", handler: a.removeIdentity,
			audit: model.ActionIdentityRemove, admin: true},
		{method: post, pattern: "/v2/organization/:organization/identity/test", handler: a.testIdentity,
			audit: model.ActionIdentityTest, admin: true, own: true},
		{method: get, pattern: "/v2/organization/:organization/identity/test/:test", handler: a.getIdentityTest,
			audit: model.ActionIdentityRead, admin: true},
		{method: get, pattern: "/v2/status", handler: a.getStatus, audit: model.ActionStatusRead, admin: true},
		{method: get, pattern: "/v2/status/history", handler: a.getStatusHistory, audit: model.ActionStatusRead,
			admin: true},
		{method: get, pattern: "/v2/settings", handler: a.listSettings, audit: model.ActionSettingsRead, admin: true},
		{method: get, pattern: "/v2/queue", handler: a.listQueues, audit: model.ActionQueueList, admin: true},
		{method: get, pattern: "/v2/key", handler: a.listOrganizationKeys, audit: model.ActionKeyList, admin: true},
		{method: get, pattern: "/v2/audit", handler: a.getAudit, audit: model.ActionAuditRead, admin: true,
			changes: followsAudit},

		{method: get, pattern: "/v2/user/:user/key", handler: a.listKeys, audit: model.ActionKeyList},
		{method: post, pattern: "/v2/user/:user/key", handler: a.issueKey, audit: model.ActionKeyIssue},
		{method: del, pattern: "/v2/user/:user/key/:key", handler: a.revokeKey, audit: model.ActionKeyRevoke},
		{method: post, pattern: "/v2/user/:user/key/:key/rotate", handler: a.rotateKey, audit: model.ActionKeyRotate},
		{method: post, pattern: "/v2/user/:user/key/:key", handler: a.changeKey, audit: model.ActionKeyLimit},

		{method: post, pattern: "/v2/user/me/passkey/begin", handler: a.askToMake, own: true, oneFactor: true},
		{method: post, pattern: "/v2/user/me/passkey/finish", handler: a.makePasskey, audit: model.ActionPasskeyMake,
			own: true, oneFactor: true},
		{method: get, pattern: "/v2/user/:user/passkey", handler: a.listPasskeys, audit: model.ActionPasskeyList},
		{method: del, pattern: "/v2/user/:user/passkey/:passkey", handler: a.removePasskey,
			audit: model.ActionPasskeyRemove},
		{method: post, pattern: "/v2/user/:user/passkey/allow", handler: a.allowPasskey, audit: model.ActionPasskeyAllow},

		{method: get, pattern: "/v2/user/:user/webhook", handler: a.listWebhooks, audit: model.ActionWebhookRead},
		{method: post, pattern: "/v2/user/:user/webhook", handler: a.createWebhook, audit: model.ActionWebhookCreate},
		{method: get, pattern: "/v2/user/:user/webhook/:webhook", handler: a.getWebhook, audit: model.ActionWebhookRead},
		{method: post, pattern: "/v2/user/:user/webhook/:webhook", handler: a.changeWebhook,
			audit: model.ActionWebhookUpdate},
		{method: del, pattern: "/v2/user/:user/webhook/:webhook", handler: a.deleteWebhook,
			audit: model.ActionWebhookDelete},
		{method: post, pattern: "/v2/user/:user/webhook/:webhook/test", handler: a.testWebhook,
			audit: model.ActionWebhookTest},
		{method: post, pattern: "/v2/user/:user/webhook/:webhook/rotate", handler: a.rotateWebhook,
			audit: model.ActionWebhookRotate},

		{method: post, pattern: "/v2/hook/alertmanager", handler: a.takeAlerts("alertmanager"), sends: true},
		{method: post, pattern: "/v2/hook/grafana", handler: a.takeAlerts("grafana"), sends: true},

		{method: get, pattern: "/v2/avatar/:id", handler: a.getAvatar, queryAuth: true, file: true,
			picture: true},
		{method: post, pattern: "/v2/login", handler: a.login, audit: model.ActionLogin,
			signIn: a.signInByName},
		{method: post, pattern: "/v5/login", handler: a.login, audit: model.ActionLogin,
			signIn: a.signInByNameOrKey},
		{method: post, pattern: "/v2/logout", handler: a.logout, audit: model.ActionLogout, oneFactor: true},
		{method: post, pattern: "/v2/session", handler: a.startSession, audit: model.ActionLogin,
			signIn: a.signInToSession, own: true},
		{method: get, pattern: "/v2/session", handler: a.getSession, anybody: true, oneFactor: true},
		{method: del, pattern: "/v2/session", handler: a.endSession, audit: model.ActionLogout, own: true,
			oneFactor: true},
		{method: post, pattern: "/v2/session/elevate", handler: a.elevateSession, audit: model.ActionElevate,
			signIn: a.signInToElevate, own: true},
		{method: del, pattern: "/v2/session/elevate", handler: a.lowerSession, audit: model.ActionLower, own: true},
		{method: get, pattern: "/v2/session/providers", handler: a.getProviders, public: true},
		{method: get, pattern: "/v2/session/oidc/:provider", handler: a.beginOIDC, public: true, page: true},
		{method: get, pattern: "/v2/session/oidc/:provider/callback", handler: a.finishOIDC, public: true, page: true,
			overseen: true},
		{method: post, pattern: "/v2/session/oidc/:provider/elevate", handler: a.elevateOIDC, own: true},
		{method: post, pattern: "/v2/session/oidc/:provider/key", handler: a.login, audit: model.ActionLogin,
			signIn: a.signInByCode},
		{method: post, pattern: "/v2/session/oidc/:provider/logout", handler: a.logoutOIDC, signIn: a.readSmall,
			overseen: true},
		{method: post, pattern: "/v2/session/passkey/begin", handler: a.askToSign, signIn: a.perhapsInSession, own: true,
			oneFactor: true},
		{method: post, pattern: "/v2/session/passkey/finish", handler: a.finishSigning, audit: model.ActionLogin,
			signIn: a.signInByPasskey, own: true, oneFactor: true},
		{method: get, pattern: "/v2/brand", handler: a.getBrand, public: true},
		{method: get, pattern: "/v2/brand/logo", handler: a.getBrandLogo, public: true},
		{method: get, pattern: "/openapi.json", handler: a.showDocument(openapi.JSON), public: true},
		{method: get, pattern: "/openapi-3.0.json", handler: a.showDocument(openapi.JSON30), public: true},
	}
}
