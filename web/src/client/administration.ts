import { once, type Options } from "./base.js";
import type { Download, DownloadOptions } from "./download.js";
import { Messaging } from "./messaging.js";
import { type CallOptions, newRequestID, type UploadOptions } from "./transport.js";
import type { Body, Query, Reply, Schemas } from "./types.js";

/** How many milliseconds the server may take for a user with a password. */
const hashing = 500;

/** Which entries of the audit log to read; of any of several actions. */
export type AuditOptions = CallOptions & Omit<Query<"getAudit">, "action" | "names"> & { action?: string | string[] };

/** Settings of an organization that the interface does not know are kept as given. */
type Settings = Record<string, string | number | boolean | undefined>;

/** The calls about accounts: users, keys, organizations, and what consoles show. */
export class Administration extends Messaging {
  // Users.

  /** Shows the caller (GET /v2/user). */
  getSelf(options?: Options<"getSelf">): Promise<Reply<"getSelf">> {
    return this.get(["user"], options);
  }

  /** Creates a user in the organization of the call (POST /v2/user). */
  createUser(body: Body<"createUser">, options?: CallOptions): Promise<Reply<"createUser">> {
    return this.post(["user"], body, options, once);
  }

  /**
   * Creates up to 500 users, each as createUser would, and tells what became of each. It may be repeated, as
   * a send may (POST /v2/user/bulk).
   */
  createUsers(
    body: Omit<Body<"createUsers">, "users"> & { users: Body<"createUser">[] },
    options: CallOptions & { request_id?: string } = {},
  ): Promise<Reply<"createUsers">> {
    const { request_id = newRequestID() } = options;
    const patience = body.users.length * hashing;
    return this.post(["user", "bulk"], body, options, { headers: { "Request-ID": request_id }, patience });
  }

  /** Shows a user (GET /v2/user/:user). */
  getUser(user: string, options?: Options<"getUser">): Promise<Reply<"getUser">> {
    return this.get(["user", user], options);
  }

  /**
   * Changes names and addresses of a user, and title and department in the organization of the call. It takes
   * administrative access (POST /v2/user/:user).
   */
  updateUser(user: string, body: Body<"updateUser">, options?: CallOptions): Promise<Reply<"updateUser">> {
    return this.post(["user", user], body, options);
  }

  /** Changes one's own profile (POST /v2/user/:user/settings). */
  updateUserSettings(
    user: string,
    body: Body<"updateUserSettings">,
    options?: CallOptions & UploadOptions,
  ): Promise<void> {
    return this.post(["user", user, "settings"], body, options);
  }

  /** Sets a password (POST /v2/user/:user/password). */
  setPassword(user: string, body: Body<"setPassword">, options?: CallOptions): Promise<void> {
    return this.post(["user", user, "password"], body, options, once);
  }

  /** Erases an account; `username` repeats its username (DELETE /v2/user/:user). */
  eraseUser(user: string, username: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user], { username }, options);
  }

  /** Disables an account, which nothing opens then (POST /v2/user/:user/disable). */
  disableUser(user: string, options?: CallOptions): Promise<void> {
    return this.post(["user", user, "disable"], undefined, options);
  }

  /** Enables an account again (POST /v2/user/:user/enable). */
  enableUser(user: string, options?: CallOptions): Promise<void> {
    return this.post(["user", user, "enable"], undefined, options);
  }

  /** Counts what a user has not read (GET /v2/user/:user/message/unread_count). */
  getUnreadCount(user: string, options?: CallOptions): Promise<Reply<"getUnreadCount">> {
    return this.get(["user", user, "message", "unread_count"], options);
  }

  /** Lists the organizations of a user (GET /v2/user/:user/organization). */
  getUserOrganizations(user: string, options?: CallOptions): Promise<Reply<"getUserOrganizations">> {
    return this.get(["user", user, "organization"], options);
  }

  /** Adds a user to an organization; `pending` where somebody has to agree (POST /v2/user/:user/organization). */
  addToOrganization(
    user: string,
    body: Body<"addToOrganization"> = {},
    options?: CallOptions,
  ): Promise<Schemas["PendingRole"] | undefined> {
    return this.post(["user", user, "organization"], body, options);
  }

  /** Shows an organization of a user (GET /v2/user/:user/organization/:organization). */
  getUserOrganization(
    user: string,
    organization: string,
    options?: CallOptions,
  ): Promise<Reply<"getUserOrganization">> {
    return this.get(["user", user, "organization", organization], options);
  }

  /** Takes a user out of an organization (DELETE /v2/user/:user/organization/:organization). */
  removeFromOrganization(user: string, organization: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user, "organization", organization], undefined, options);
  }

  /** Counts what a user has not read there (GET /v2/user/:user/organization/:organization/message/unread_count). */
  getOrganizationUnreadCount(
    user: string,
    organization: string,
    options?: CallOptions,
  ): Promise<Reply<"getOrganizationUnreadCount">> {
    return this.get(["user", user, "organization", organization, "message", "unread_count"], options);
  }

  /** Lists the roles of a user (GET /v2/user/:user/organization/:organization/roles). */
  getRoles(user: string, organization: string, options?: CallOptions): Promise<Reply<"getRoles">> {
    return this.get(["user", user, "organization", organization, "roles"], options);
  }

  /** Grants a role, or asks for it: `pending` (POST /v2/user/:user/organization/:organization/roles/:role). */
  grantRole(
    user: string,
    organization: string,
    role: string,
    options?: CallOptions,
  ): Promise<Schemas["PendingRole"] | undefined> {
    return this.post(["user", user, "organization", organization, "roles", role], undefined, options);
  }

  /** Takes a role away (DELETE /v2/user/:user/organization/:organization/roles/:role). */
  revokeRole(user: string, organization: string, role: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user, "organization", organization, "roles", role], undefined, options);
  }

  /** Finds a user of the platform by an exact address (GET /v2/user_lookup/:user). */
  lookupUser(user: string, options?: CallOptions): Promise<Reply<"lookupUser">> {
    return this.get(["user_lookup", user], options);
  }

  /** Opens the archive of an account's data, a ZIP file (GET /user/:user/export). */
  exportUser(user: string, options?: CallOptions & DownloadOptions): Promise<Download> {
    return this.download(["user", user, "export"], options);
  }

  /** Opens a picture that an `avatar` of the server names (GET /v2/avatar/:id). */
  getAvatar(id: string, options?: CallOptions & DownloadOptions): Promise<Download> {
    return this.download(["avatar", id], options);
  }

  // Keys.

  /** Issues a key, whose secret is shown this once (POST /v2/user/:user/key). */
  createKey(user: string, body: Body<"createKey"> = {}, options?: CallOptions): Promise<Reply<"createKey">> {
    return this.post(["user", user, "key"], body, options, once);
  }

  /** Lists the keys of an account (GET /v2/user/:user/key). */
  getKeys(user: string, options?: CallOptions): Promise<Reply<"getKeys">> {
    return this.get(["user", user, "key"], options);
  }

  /** Changes the label or the limits of a key (POST /v2/user/:user/key/:key). */
  updateKey(user: string, key: string, body: Body<"updateKey">, options?: CallOptions): Promise<void> {
    return this.post(["user", user, "key", key], body, options);
  }

  /** Revokes a key (DELETE /v2/user/:user/key/:key). */
  revokeKey(user: string, key: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user, "key", key], undefined, options);
  }

  /** Gives a key a new secret, which is shown this once (POST /v2/user/:user/key/:key/rotate). */
  rotateKey(
    user: string,
    key: string,
    body: Body<"rotateKey"> = {},
    options?: CallOptions,
  ): Promise<Reply<"rotateKey">> {
    return this.post(["user", user, "key", key, "rotate"], body, options, once);
  }

  // Webhooks.

  /** Lists the passkeys of an account (GET /v2/user/:user/passkey). */
  getPasskeys(user: string, options?: CallOptions): Promise<Reply<"getPasskeys">> {
    return this.get(["user", user, "passkey"], options);
  }

  /** Ends a passkey, with the sessions that came of it (DELETE /v2/user/:user/passkey/:passkey). */
  deletePasskey(user: string, passkey: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user, "passkey", passkey], undefined, options);
  }

  /** Lets an account whose passkey is lost make one with its password alone (POST /v2/user/:user/passkey/allow). */
  allowPasskey(user: string, options?: CallOptions): Promise<Reply<"allowPasskey">> {
    return this.post(["user", user, "passkey", "allow"], undefined, options);
  }

  /** Makes a webhook, whose secret is shown this once (POST /v2/user/:user/webhook). */
  createWebhook(user: string, body: Body<"createWebhook">, options?: CallOptions): Promise<Reply<"createWebhook">> {
    return this.post(["user", user, "webhook"], body, options, once);
  }

  /** Lists the webhooks of an account (GET /v2/user/:user/webhook). */
  getWebhooks(user: string, options?: CallOptions): Promise<Reply<"getWebhooks">> {
    return this.get(["user", user, "webhook"], options);
  }

  /** Shows a webhook with its last deliveries (GET /v2/user/:user/webhook/:webhook). */
  getWebhook(user: string, webhook: string, options?: CallOptions): Promise<Reply<"getWebhook">> {
    return this.get(["user", user, "webhook", webhook], options);
  }

  /** Changes a webhook, or has it deliver again (POST /v2/user/:user/webhook/:webhook). */
  updateWebhook(user: string, webhook: string, body: Body<"updateWebhook">, options?: CallOptions): Promise<void> {
    return this.post(["user", user, "webhook", webhook], body, options);
  }

  /** Ends a webhook (DELETE /v2/user/:user/webhook/:webhook). */
  deleteWebhook(user: string, webhook: string, options?: CallOptions): Promise<void> {
    return this.delete(["user", user, "webhook", webhook], undefined, options);
  }

  /** Has the server POST a test to a webhook (POST /v2/user/:user/webhook/:webhook/test). */
  testWebhook(user: string, webhook: string, options?: CallOptions): Promise<Reply<"testWebhook">> {
    return this.post(["user", user, "webhook", webhook, "test"], {}, options, once);
  }

  /** Gives a webhook a new secret, which is shown this once (POST /v2/user/:user/webhook/:webhook/rotate). */
  rotateWebhook(
    user: string,
    webhook: string,
    body: Body<"rotateWebhook"> = {},
    options?: CallOptions,
  ): Promise<Reply<"rotateWebhook">> {
    return this.post(["user", user, "webhook", webhook, "rotate"], body, options, once);
  }

  // Alerts of monitoring systems.

  /** Takes alerts of Prometheus Alertmanager (POST /v2/hook/alertmanager). */
  takeAlertmanagerAlerts(
    body: Body<"takeAlertmanagerAlerts">,
    options?: Options<"takeAlertmanagerAlerts">,
  ): Promise<Reply<"takeAlertmanagerAlerts">> {
    const { recipient, escalate } = options ?? {};
    return this.post(["hook", "alertmanager"], body, options, { query: { recipient, escalate } });
  }

  /** Takes alerts of Grafana (POST /v2/hook/grafana). */
  takeGrafanaAlerts(
    body: Body<"takeGrafanaAlerts">,
    options?: Options<"takeGrafanaAlerts">,
  ): Promise<Reply<"takeGrafanaAlerts">> {
    const { recipient, escalate } = options ?? {};
    return this.post(["hook", "grafana"], body, options, { query: { recipient, escalate } });
  }

  // Organizations.

  /** Lists organizations with their counts (GET /v2/organization). */
  listOrganizations(options?: Options<"listOrganizations">): Promise<Reply<"listOrganizations">> {
    return this.get(["organization"], options);
  }

  /** Makes an organization, and returns its token (POST /v2/organization). */
  async createOrganization(body: Body<"createOrganization"> & Settings, options?: CallOptions): Promise<string> {
    const call = { method: "POST", path: ["v2", "organization"], body, options, once: true };
    const { headers } = await this.transport.answer(call);
    return this.headerOf(headers, "Organization-Key");
  }

  /** Shows an organization (GET /v2/organization/:organization). */
  getOrganization(organization: string, options?: CallOptions): Promise<Reply<"getOrganization">> {
    return this.get(["organization", organization], options);
  }

  /** Changes settings of an organization (POST /v2/organization/:organization). */
  updateOrganization(
    organization: string,
    body: Body<"updateOrganization"> & Settings,
    options?: CallOptions,
  ): Promise<void> {
    return this.post(["organization", organization], body, options);
  }

  /** Erases an organization; `name` repeats its name (DELETE /v2/organization/:organization). */
  deleteOrganization(organization: string, name: string, options?: CallOptions): Promise<void> {
    return this.delete(["organization", organization], { name }, options);
  }

  /** Reads the audit log of an organization (GET /v2/organization/:organization/audit). */
  getOrganizationAudit(organization: string, options?: AuditOptions): Promise<Schemas["AuditEntry"][]> {
    return this.get(["organization", organization, "audit"], options);
  }

  /** Likewise, with the names of whom and what the entries name, and where to go on (GET /v2/organization/:organization/audit). */
  getOrganizationAuditPage(organization: string, options?: AuditOptions): Promise<Schemas["AuditPage"]> {
    const asked = { ...options, names: true };
    return this.get(["organization", organization, "audit"], asked);
  }

  /** Reads the audit log of the platform (GET /v2/audit). */
  getAudit(options?: AuditOptions): Promise<Schemas["AuditEntry"][]> {
    return this.get(["audit"], options);
  }

  /** Likewise, with the names of whom and what the entries name, and where to go on (GET /v2/audit). */
  getAuditPage(options?: AuditOptions): Promise<Schemas["AuditPage"]> {
    const asked = { ...options, names: true };
    return this.get(["audit"], asked);
  }

  /** Takes back a message of the organization, unread (DELETE /v2/organization/:organization/message/:message). */
  recallMessageFor(
    organization: string,
    message: string,
    body: Body<"recallMessageFor"> = {},
    options?: CallOptions,
  ): Promise<void> {
    return this.delete(["organization", organization, "message", message], body, options);
  }

  /** Shows with which provider members sign in (GET /v2/organization/:organization/identity). */
  getIdentity(organization: string, options?: CallOptions): Promise<Reply<"getIdentity">> {
    return this.get(["organization", organization, "identity"], options);
  }

  /** Sets the provider up with which members sign in (POST /v2/organization/:organization/identity). */
  setIdentity(organization: string, body: Body<"setIdentity">, options?: CallOptions): Promise<void> {
    return this.post(["organization", organization, "identity"], body, options);
  }

  /** Ends that members sign in with a provider (DELETE /v2/organization/:organization/identity). */
  removeIdentity(organization: string, options?: CallOptions): Promise<void> {
    return this.delete(["organization", organization, "identity"], undefined, options);
  }

  /** Begins to try the provider, and tells where the browser goes (POST /v2/organization/:organization/identity/test). */
  testIdentity(
    organization: string,
    body: Body<"testIdentity"> = {},
    options?: CallOptions,
  ): Promise<Reply<"testIdentity">> {
    return this.post(["organization", organization, "identity", "test"], body, options, once);
  }

  /** Tells what came of it (GET /v2/organization/:organization/identity/test/:test). */
  getIdentityTest(organization: string, test: string, options?: CallOptions): Promise<Reply<"getIdentityTest">> {
    return this.get(["organization", organization, "identity", "test", test], options);
  }

  /** Lists the escalation policies of an organization (GET /v2/organization/:organization/escalation). */
  listEscalationPolicies(organization: string, options?: CallOptions): Promise<Reply<"listEscalationPolicies">> {
    return this.get(["organization", organization, "escalation"], options);
  }

  /** Shows one of them (GET /v2/organization/:organization/escalation/:name). */
  getEscalationPolicy(organization: string, name: string, options?: CallOptions): Promise<Reply<"getEscalationPolicy">> {
    return this.get(["organization", organization, "escalation", name], options);
  }

  /** Sets one, in place of one of the same name (POST /v2/organization/:organization/escalation/:name). */
  setEscalationPolicy(
    organization: string,
    name: string,
    body: Body<"setEscalationPolicy">,
    options?: CallOptions,
  ): Promise<void> {
    return this.post(["organization", organization, "escalation", name], body, options);
  }

  /** Removes one (DELETE /v2/organization/:organization/escalation/:name). */
  removeEscalationPolicy(organization: string, name: string, options?: CallOptions): Promise<void> {
    return this.delete(["organization", organization, "escalation", name], undefined, options);
  }

  /** Puts an organization under a legal hold (POST /v2/organization/:organization/hold). */
  setHold(organization: string, options?: CallOptions): Promise<void> {
    return this.post(["organization", organization, "hold"], undefined, options);
  }

  /** Ends the legal hold (DELETE /v2/organization/:organization/hold). */
  releaseHold(organization: string, options?: CallOptions): Promise<void> {
    return this.delete(["organization", organization, "hold"], undefined, options);
  }

  // Console.

  /** Lists the members of an organization (GET /v2/organization/:organization/member). */
  listMembers(organization: string, options?: Options<"listMembers">): Promise<Reply<"listMembers">> {
    return this.get(["organization", organization, "member"], options);
  }

  /** Lists the groups of an organization (GET /v2/organization/:organization/group). */
  listGroups(organization: string, options?: Options<"listGroups">): Promise<Reply<"listGroups">> {
    return this.get(["organization", organization, "group"], options);
  }

  /** Lists what administrators have to decide on (GET /v2/organization/:organization/request). */
  listRequests(organization: string, options?: Options<"listRequests">): Promise<Reply<"listRequests">> {
    return this.get(["organization", organization, "request"], options);
  }

  /** Lists the keys that act in an organization (GET /v2/organization/:organization/key). */
  listOrganizationKeys(
    organization: string,
    options?: Options<"listOrganizationKeys">,
  ): Promise<Reply<"listOrganizationKeys">> {
    return this.get(["organization", organization, "key"], options);
  }

  /** Lists all keys (GET /v2/key). */
  listAllKeys(options?: Options<"listAllKeys">): Promise<Reply<"listAllKeys">> {
    return this.get(["key"], options);
  }

  /** Lists the queues of an organization's members that hold something (GET /v2/organization/:organization/queue). */
  listQueues(organization: string, options?: Options<"listQueues">): Promise<Reply<"listQueues">> {
    return this.get(["organization", organization, "queue"], options);
  }

  /** Lists all queues that hold something (GET /v2/queue). */
  listAllQueues(options?: Options<"listAllQueues">): Promise<Reply<"listAllQueues">> {
    return this.get(["queue"], options);
  }

  /** Lists messages that wait for their recipients (GET /v2/organization/:organization/undelivered). */
  listUndelivered(organization: string, options?: Options<"listUndelivered">): Promise<Reply<"listUndelivered">> {
    return this.get(["organization", organization, "undelivered"], options);
  }

  /** Lists messages of an organization, without what they say (GET /v2/organization/:organization/message). */
  listMessages(organization: string, options?: Options<"listMessages">): Promise<Reply<"listMessages">> {
    return this.get(["organization", organization, "message"], options);
  }

  /** Shows figures of an organization over time (GET /v2/organization/:organization/history). */
  getOrganizationHistory(
    organization: string,
    options?: Options<"getOrganizationHistory">,
  ): Promise<Reply<"getOrganizationHistory">> {
    return this.get(["organization", organization, "history"], options);
  }

  /** Shows figures of the installation over time (GET /v2/status/history). */
  getStatusHistory(options?: Options<"getStatusHistory">): Promise<Reply<"getStatusHistory">> {
    return this.get(["status", "history"], options);
  }

  /** Shows how the installation does (GET /v2/status). */
  getStatus(options?: CallOptions): Promise<Reply<"getStatus">> {
    return this.get(["status"], options);
  }

  /** Shows the server's settings as they are in force (GET /v2/settings). */
  listSettings(options?: CallOptions): Promise<Reply<"listSettings">> {
    return this.get(["settings"], options);
  }
}
