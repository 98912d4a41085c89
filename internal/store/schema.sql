-- The tables of a store, the same on every engine, as one transaction makes them in an empty database.
-- An engine has tables of its own besides, named engine_*: store/sqlite and store/postgres make those.
--
-- Each engine puts its own words (Dialect) in the place of these:
--   {id}     an identifier: 16 bytes (UUID version 7), or none where a row may name nothing
--   {bytes}  bytes
--   {text}   text that is compared byte by byte: the order of an index then depends on no language, which an
--            upgrade of the database's system may change under it. Other texts are TEXT.
--   {table}  what lays the rows out in the order of the primary key, where an engine can
--
-- No column is ever NULL: what may be missing is 0, '' or no bytes. A yes or no is 1 or 0. Times are milliseconds
-- since 1970, UTC. A code authenticates a row that gives access (code.go). Positions are those of the queues (Session.Position): microseconds since 1970, made unique and
-- growing, which order events, copies and memberships alike.
--
-- Every primary key begins with the account or the organization, or with the platform-wide name that leads to one:
-- so all tables can be spread over many database servers by the first column (docs/scaling.md).
--
-- Once a version is released, a change here takes a step in schema.go too, which makes the same of older data.


-- What there is one of, by name: the version of the data (schema), the lowest version that a program has to know to
-- work with it (schema_needs), the installation and its epoch, its secret, notes of the key ring, of backups, of a
-- restore, of the clock. It is made before the other tables, for it says which version they have.
CREATE TABLE IF NOT EXISTS meta (
	name  TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
){table};


-- ==================================================================================================================
-- People and organizations
-- ==================================================================================================================

-- A person, or a program, on the platform.
CREATE TABLE accounts (
	account      {id} NOT NULL,
	username     TEXT NOT NULL,    -- as given; addresses has it folded
	display_name TEXT NOT NULL,
	first_name   TEXT NOT NULL,
	last_name    TEXT NOT NULL,
	avatar       TEXT NOT NULL,    -- a URL, or the reference of a stored picture
	status       TEXT NOT NULL,
	dnd          INTEGER NOT NULL,
	dnd_text     TEXT NOT NULL,
	emails       TEXT NOT NULL,    -- JSON, to be shown
	phones       TEXT NOT NULL,    -- JSON, to be shown
	password     TEXT NOT NULL,    -- its hash (argon2id)
	password_of  {text} NOT NULL,  -- the organization whose administrator set it: sign-ins get keys of that scope
	password_code {bytes} NOT NULL, -- covers account, password and password_of; none where there is no password
	operator     INTEGER NOT NULL,
	disabled     INTEGER NOT NULL, -- nothing opens the account; all else goes on
	created_by   TEXT NOT NULL,    -- the organization that created it; none for operators
	created      BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers account, operator, disabled, created_by and created
	PRIMARY KEY (account)
){table};

-- The account that an e-mail address (kind 1), a phone number (2) or a user name (3) names. The key makes each of
-- them unique on the platform.
CREATE TABLE addresses (
	kind    INTEGER NOT NULL,
	address {text} NOT NULL,       -- folded
	account {id} NOT NULL,
	PRIMARY KEY (kind, address)
){table};

-- A tenant. Its identifier is a token of 24 characters.
CREATE TABLE organizations (
	organization {text} NOT NULL,
	name         TEXT NOT NULL,
	settings     TEXT NOT NULL,    -- JSON
	created      BIGINT NOT NULL,
	PRIMARY KEY (organization)
){table};

-- The number that stands for an organization's token in the tables of many rows: messages, deliveries and events.
-- Each is one more than the last. Nobody else ever gets it: what is left of a deleted organization is never another
-- one's. 0 stands for none, and has no row.
CREATE TABLE organization_numbers (
	organization {text} NOT NULL,  -- an erasure puts another text in its place
	number       BIGINT NOT NULL,
	PRIMARY KEY (organization)
){table};
CREATE UNIQUE INDEX organization_numbers_number ON organization_numbers (number);

-- A deleted organization whose messages, groups and counters are still being erased.
CREATE TABLE organization_erasures (
	organization {text} NOT NULL,
	PRIMARY KEY (organization)
){table};

-- An account that has ended, of which something is still being erased, and how far that has come.
CREATE TABLE account_erasures (
	account {id} NOT NULL,
	noted   BIGINT NOT NULL,       -- when; what was left to be done in pieces before may still name it
	stage   INTEGER NOT NULL,      -- what is looked through: 0 messages, 1 these once more, 2 events
	number  BIGINT NOT NULL,       -- the row up to which that has come: an organization's number, or a position
	id      {id} NOT NULL,         -- with it a message, or the account whose queue it is
	PRIMARY KEY (account)
){table};

-- An account in an organization.
CREATE TABLE memberships (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	title        TEXT NOT NULL,
	department   TEXT NOT NULL,
	joined       BIGINT NOT NULL,  -- the time
	since        BIGINT NOT NULL,  -- the position then: what came before stays out of sight
	code         {bytes} NOT NULL, -- covers organization, account, joined and since
	PRIMARY KEY (organization, account)
){table};
CREATE INDEX memberships_account ON memberships (account);

-- An account that an organization wants as a member and that another one created: it, or that one, has to agree.
CREATE TABLE join_requests (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	title        TEXT NOT NULL,    -- which the membership gets
	department   TEXT NOT NULL,
	created      BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers organization, account and created: agreeing makes a membership of it
	PRIMARY KEY (organization, account)
){table};
CREATE INDEX join_requests_account ON join_requests (account);

-- A member whom the organization's directory keeps by SCIM, and what the directory calls it.
CREATE TABLE scim_people (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	name         TEXT NOT NULL,    -- the userName, as given
	folded       {text} NOT NULL,  -- the same as it is compared
	external_id  {text} NOT NULL,  -- none: the directory gives none
	PRIMARY KEY (organization, account)
){table};
CREATE UNIQUE INDEX scim_people_folded ON scim_people (organization, folded);
CREATE INDEX scim_people_external ON scim_people (organization, external_id) WHERE external_id <> '';
CREATE INDEX scim_people_account ON scim_people (account);

-- A role that an account has in an organization, or asks for.
CREATE TABLE roles (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	role         {text} NOT NULL,
	pending      INTEGER NOT NULL, -- asked for, and not granted yet
	asked        BIGINT NOT NULL,  -- when it was asked for; 0: it is granted
	code         {bytes} NOT NULL, -- covers all but asked
	PRIMARY KEY (organization, account, role)
){table};
CREATE INDEX roles_role ON roles (organization, role, pending);

-- An API key. Whoever calls names it, and nothing else: it is the whole primary key.
CREATE TABLE keys (
	api_key             {text} NOT NULL,
	account             {id} NOT NULL,
	kind                INTEGER NOT NULL,
	secret_hash         {bytes} NOT NULL, -- SHA-256
	previous_hash       {bytes} NOT NULL, -- of the secret before the last rotation
	previous_until      BIGINT NOT NULL,  -- until when that one opens too
	counter             {text} NOT NULL,  -- the key whose daily quota this one shares
	issued_by           {id} NOT NULL,
	noticed             BIGINT NOT NULL,  -- where the notice of it was queued; below 0: only that of a rotation; 0: none was
	organization        {text} NOT NULL,  -- its scope: it acts there alone; none: wherever the account belongs
	parent              {text} NOT NULL,  -- the key with which the account issued it, and with which it ends
	label               TEXT NOT NULL,        -- what people call it; none: nothing
	device              TEXT NOT NULL,
	login               INTEGER NOT NULL, -- issued by a login
	session             INTEGER NOT NULL, -- of a browser, by a login too: only the cookie of a session opens it
	proof               {text} NOT NULL,  -- of a login: by what it was proven: password, or a passkey's identifier; none: neither
	grants              BIGINT NOT NULL,  -- of a session: until when what it gives others may last
	elevated_until      BIGINT NOT NULL,  -- of a session: it counts as administrative
	elevated_with       {text} NOT NULL,  -- the key by which, with which it ends; so does what it issues meanwhile
	messages_per_day    BIGINT NOT NULL,  -- -1: as the settings say; so is the next
	requests_per_second BIGINT NOT NULL,
	created             BIGINT NOT NULL,
	last_used           BIGINT NOT NULL,
	last_address        {text} NOT NULL,  -- from which it was used then; none: not known
	expires             BIGINT NOT NULL,
	networks            TEXT NOT NULL,    -- in CIDR notation, with commas in between; none: it opens from everywhere
	code                {bytes} NOT NULL, -- covers all but issued_by, noticed, label, device, last_used, last_address
	PRIMARY KEY (api_key)
){table};
CREATE INDEX keys_account ON keys (account, login, device);
CREATE INDEX keys_organization ON keys (organization) WHERE organization <> ''; -- few keys have a scope

-- A passkey: a credential of WebAuthn, by which an account signs in and elevates its sessions.
CREATE TABLE passkeys (
	account       {id} NOT NULL,
	passkey       {id} NOT NULL,
	credential    {bytes} NOT NULL, -- its identifier, which the authenticator chose
	public_key    {bytes} NOT NULL, -- COSE
	relying_party {text} NOT NULL,  -- the name of the server's address when it was made, at which alone it is good
	eligible      INTEGER NOT NULL, -- it may be copied to other devices of its owner
	organization  {text} NOT NULL,  -- the scope of the keys that sign-ins with it get
	parent        {text} NOT NULL,  -- the key of the session that made it, and with which it ends; none: it ends with none
	created       BIGINT NOT NULL,
	label         TEXT NOT NULL,
	transports    {text} NOT NULL,  -- how its authenticator can be reached, with commas in between
	copied        INTEGER NOT NULL, -- it had been copied when it was last used
	counter       BIGINT NOT NULL,  -- of the authenticator's signatures; 0: it does not count
	last_used     BIGINT NOT NULL,  -- 0: never
	code          {bytes} NOT NULL, -- covers account to created
	PRIMARY KEY (account, passkey)
){table};
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_parent ON passkeys (parent) WHERE parent <> '';
CREATE INDEX passkeys_organization ON passkeys (organization) WHERE organization <> '';

-- An account that may make one passkey though it has some, since an administrator allowed it.
CREATE TABLE passkey_allowances (
	account {id} NOT NULL,
	until   BIGINT NOT NULL,
	code    {bytes} NOT NULL, -- covers the others
	PRIMARY KEY (account)
){table};

-- A challenge that an authenticator is to sign, for as long as it may be answered.
CREATE TABLE passkey_challenges (
	mark    {bytes} NOT NULL, -- SHA-256 of it
	purpose INTEGER NOT NULL, -- 1 to make a passkey, 2 to sign in or to elevate a session
	account {id} NOT NULL,    -- whose answer counts; none: whose passkey it is
	api_key {text} NOT NULL,  -- of the session that asked; none: there was none
	expires BIGINT NOT NULL,
	PRIMARY KEY (mark)
){table};
CREATE INDEX passkey_challenges_account ON passkey_challenges (account);
CREATE INDEX passkey_challenges_expires ON passkey_challenges (expires);

-- A webhook: a URL to which events of an account go, as far as a key of its scope would read them.
CREATE TABLE webhooks (
	account        {id} NOT NULL,
	webhook        {id} NOT NULL,
	url            TEXT NOT NULL,
	events         TEXT NOT NULL,    -- the kinds that go there, with commas in between; none: all
	content        INTEGER NOT NULL, -- 0 tokens and times, 1 what the events say too
	acknowledge    INTEGER NOT NULL, -- a 2xx acknowledges the event
	signature      {text} NOT NULL,  -- v1 or v1a
	organization   {text} NOT NULL,  -- its scope, as that of a key
	parent         {text} NOT NULL,  -- the key with which the account made it, and with which it ends
	issued_by      {id} NOT NULL,    -- who made it; none: its account
	noticed        BIGINT NOT NULL,  -- as that of a key
	created        BIGINT NOT NULL,
	secret         {bytes} NOT NULL, -- sealed
	previous       {bytes} NOT NULL, -- the one before the last rotation, sealed
	previous_until BIGINT NOT NULL,  -- until when that one signs too
	enabled        INTEGER NOT NULL,
	ended          {text} NOT NULL,  -- why the server disabled it; none: it did not
	position       BIGINT NOT NULL,  -- up to which events were delivered, or passed over
	replay         BIGINT NOT NULL,  -- up to which those are delivered again that were acknowledged; 0: none
	failures       INTEGER NOT NULL, -- in a row
	failing_since  BIGINT NOT NULL,  -- when the first of these was; 0: there are none
	next_try       BIGINT NOT NULL,  -- when is tried next, while its job waits for that; 0: it does not
	last_success   BIGINT NOT NULL,
	run            BIGINT NOT NULL,  -- the one job that delivers; 0: there is none
	version        BIGINT NOT NULL,  -- raised by changes of a caller, of which a job hears so
	code           {bytes} NOT NULL, -- covers account to created but issued_by and noticed
	PRIMARY KEY (account, webhook)
){table};
CREATE INDEX webhooks_waiting ON webhooks (account) WHERE enabled = 1 AND run = 0;
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since > 0;
CREATE INDEX webhooks_organization ON webhooks (organization) WHERE organization <> ''; -- few have a scope

-- A try to deliver an event to a webhook: of the last 100, without what was sent.
CREATE TABLE webhook_deliveries (
	account  {id} NOT NULL,
	webhook  {id} NOT NULL,
	number   BIGINT NOT NULL,  -- when, in microseconds, made unique
	position BIGINT NOT NULL,  -- of the event; 0: it was a test
	kind     INTEGER NOT NULL, -- of the event
	try      INTEGER NOT NULL, -- 1 is the first
	status   INTEGER NOT NULL, -- of the answer; 0: there was none
	outcome  {text} NOT NULL,  -- delivered, refused, or why there was no answer
	took     BIGINT NOT NULL,  -- milliseconds
	PRIMARY KEY (account, webhook, number)
){table};

-- The provider of OpenID Connect with which the members of an organization sign in.
CREATE TABLE providers (
	organization {text} NOT NULL,
	issuer       TEXT NOT NULL,
	client_id    TEXT NOT NULL,
	secret       {bytes} NOT NULL, -- sealed
	name         TEXT NOT NULL,
	domains      TEXT NOT NULL,    -- JSON: those that it asks for; provider_domains has the confirmed ones
	claims       TEXT NOT NULL,    -- JSON: the names of claims
	admin_groups TEXT NOT NULL,    -- JSON
	provision    INTEGER NOT NULL, -- it makes accounts
	passwords    INTEGER NOT NULL, -- members whom the organization created may sign in with one too
	enabled      INTEGER NOT NULL, -- 0: it can only be tried
	shown        INTEGER NOT NULL, -- on the sign-in page, to everybody
	version      BIGINT NOT NULL,  -- raised with the issuer, the client and its secret
	created      BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers all
	PRIMARY KEY (organization)
){table};

-- A domain of e-mail addresses that an operator confirmed to be an organization's. It is of one alone.
CREATE TABLE provider_domains (
	domain       {text} NOT NULL,  -- folded
	organization {text} NOT NULL,
	confirmed    BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers all
	PRIMARY KEY (domain)
){table};
CREATE INDEX provider_domains_organization ON provider_domains (organization);

-- The account of a person whom the provider of an organization vouches for.
CREATE TABLE subjects (
	organization {text} NOT NULL,
	issuer       {text} NOT NULL,
	subject      {text} NOT NULL,
	account      {id} NOT NULL,
	version      BIGINT NOT NULL,  -- of the provider as it was when the person last came by it
	linked       BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers all
	PRIMARY KEY (organization, issuer, subject)
){table};
CREATE INDEX subjects_account ON subjects (account);

-- A key that came of such a sign-in, and ends when the provider says so. One whose key is gone is swept.
CREATE TABLE subject_keys (
	organization {text} NOT NULL,
	api_key      {text} NOT NULL,
	account      {id} NOT NULL,
	issuer       {text} NOT NULL,
	subject      {text} NOT NULL,
	sid          {text} NOT NULL,  -- the provider's session; none: it has no name
	PRIMARY KEY (organization, api_key)
){table};
CREATE INDEX subject_keys_subject ON subject_keys (organization, subject);
CREATE INDEX subject_keys_sid ON subject_keys (organization, sid) WHERE sid <> '';
CREATE INDEX subject_keys_account ON subject_keys (account);

-- What is good once, and for minutes: a sign-in that was begun, what came of it, a logout that was carried out.
CREATE TABLE sign_ins (
	token        {bytes} NOT NULL, -- SHA-256 of what whoever comes back brings
	organization {text} NOT NULL,
	said         TEXT NOT NULL,    -- JSON
	created      BIGINT NOT NULL,
	code         {bytes} NOT NULL, -- covers all
	PRIMARY KEY (token)
){table};
CREATE INDEX sign_ins_created ON sign_ins (created);

-- How many messages a key has sent on a day (in days since 1970, UTC). Counters that begin with account: or told: are of
-- other things.
CREATE TABLE quotas (
	counter {text} NOT NULL,
	day     BIGINT NOT NULL,
	sent    BIGINT NOT NULL,
	PRIMARY KEY (counter, day)
){table};

-- A group. It keeps what all rosters say of it alike, so that a message changes one row, and not one of each member.
CREATE TABLE groups (
	group_token    {id} NOT NULL,
	organization   {text} NOT NULL,
	name           TEXT NOT NULL,
	description    TEXT NOT NULL,
	avatar         TEXT NOT NULL,
	created_by     {id} NOT NULL,
	created        BIGINT NOT NULL,
	replay_history INTEGER NOT NULL,
	is_public      INTEGER NOT NULL,
	everyone       INTEGER NOT NULL, -- it always holds all members of the organization
	duty           INTEGER NOT NULL, -- a rota says who is in it (rotas)
	directory      INTEGER NOT NULL, -- a directory keeps it by SCIM
	folded         {text} NOT NULL,  -- the name of such a one as it is compared; none of others
	external_id    {text} NOT NULL,  -- what the directory calls it; none: nothing, or none keeps it
	deleted        INTEGER NOT NULL,
	sent           BIGINT NOT NULL,  -- how many messages were sent to it
	sent_priority  BIGINT NOT NULL,  -- how many of these are important
	last_message   BIGINT NOT NULL,  -- when the last was sent
	last_sort      BIGINT NOT NULL,  -- its sort
	PRIMARY KEY (group_token)
){table};
CREATE INDEX groups_organization ON groups (organization);
CREATE UNIQUE INDEX groups_everyone ON groups (organization) WHERE everyone = 1 AND deleted = 0;
CREATE INDEX groups_directory ON groups (organization, group_token) WHERE directory = 1 AND deleted = 0;
CREATE UNIQUE INDEX groups_folded ON groups (organization, folded) WHERE directory = 1 AND deleted = 0;
CREATE INDEX groups_external ON groups (organization, external_id) WHERE directory = 1 AND deleted = 0;

-- A member of a group, also of one that was deleted. What of the group's messages does not count as unread with the
-- member (what came before, what it sent, what it read, what ended) is counted here: sent - seen is unread.
CREATE TABLE group_members (
	group_token   {id} NOT NULL,
	account       {id} NOT NULL,
	organization  {text} NOT NULL,
	joined        BIGINT NOT NULL, -- the position then
	since         BIGINT NOT NULL, -- sent of the group then
	seen          BIGINT NOT NULL,
	seen_priority BIGINT NOT NULL,
	last_message  BIGINT NOT NULL, -- of the history that it got, while nothing was sent since
	last_sort     BIGINT NOT NULL, -- the same, or of what it had when it was in the group before
	floor         BIGINT NOT NULL, -- the sort up to which no message of the group is the member's
	updated       BIGINT NOT NULL, -- position of the last update event of the group in its queue; 0: none
	history       BIGINT NOT NULL, -- sort after which the group's messages are still to be queued with it; 0: it has all
	notes         BIGINT NOT NULL, -- sort from which on the group's notes are the member's
	notes_history BIGINT NOT NULL, -- sort after which those are, too, that were written while the history was on
	PRIMARY KEY (group_token, account)
){table};
CREATE INDEX group_members_account ON group_members (account, organization);
CREATE INDEX group_members_history ON group_members (group_token, history) WHERE history > 0;

-- The rota of a group, by which its members change (internal/duty).
CREATE TABLE rotas (
	group_token  {id} NOT NULL,
	organization {text} NOT NULL,
	version      BIGINT NOT NULL,  -- another one with each change: a job of an earlier one has nothing to do
	timezone     TEXT NOT NULL,    -- its name in the IANA database
	start        BIGINT NOT NULL,  -- when the first turn of the rotation begins
	hours        BIGINT NOT NULL,  -- of a turn; 0: there is no rotation
	vacant       INTEGER NOT NULL, -- nobody is on duty, which administrators were told
	PRIMARY KEY (group_token)
){table};

-- An account that a rota names.
CREATE TABLE rota_places (
	group_token  {id} NOT NULL,
	part         INTEGER NOT NULL, -- 1 the rotation, 2 overrides, 3 always, 4 the fallback
	place        BIGINT NOT NULL,  -- the order
	organization {text} NOT NULL,
	account      {id} NOT NULL,    -- 0: nobody, or one that has left, whose turn stays
	begins       BIGINT NOT NULL,  -- of an override; else 0
	ends         BIGINT NOT NULL,
	PRIMARY KEY (group_token, part, place)
){table};
CREATE INDEX rota_places_account ON rota_places (account, organization);

-- An account that was in a group, of which it keeps the messages that it got then: they have a sort above floor, and
-- last_sort at most. While it is in the group again, its row in group_members says all of that.
CREATE TABLE past_members (
	account      {id} NOT NULL,
	group_token  {id} NOT NULL,
	organization {text} NOT NULL,
	name         {text} NOT NULL, -- of the group, as it was then
	floor        BIGINT NOT NULL,
	last_message BIGINT NOT NULL,
	last_sort    BIGINT NOT NULL,
	stays        TEXT NOT NULL,   -- which notes of the group it may see (stay.go)
	PRIMARY KEY (account, group_token)
){table};

-- A note of what changed of a group, in the one order with its messages.
CREATE TABLE notes (
	group_token         {id} NOT NULL,
	sort                BIGINT NOT NULL,  -- the position at which that happened
	organization_number BIGINT NOT NULL,
	event               INTEGER NOT NULL, -- noteEvents lists them
	created             BIGINT NOT NULL,
	subjects            BIGINT NOT NULL,  -- how many accounts that was done to; the first of them are named
	replay              INTEGER NOT NULL, -- the group's history was on
	name                {bytes} NOT NULL, -- that the group has since, sealed; none: it is about no name
	PRIMARY KEY (group_token, sort)
){table};
CREATE INDEX notes_created ON notes (created, organization_number);

-- An account that a note names, with the name that it had then.
CREATE TABLE note_names (
	group_token {id} NOT NULL,
	sort        BIGINT NOT NULL,
	place       INTEGER NOT NULL,         -- 0: who did it; from 1 on: to whom it was done
	account     {id} NOT NULL,
	name        {bytes} NOT NULL,         -- sealed
	PRIMARY KEY (group_token, sort, place)
){table};
CREATE INDEX note_names_account ON note_names (account);


-- ==================================================================================================================
-- Messages
-- ==================================================================================================================

-- A message, once, whoever has copies. The key leads with the organization's number, of 8 bytes at most, in place of
-- its token of 24. Content is sealed: 1 byte form, 8 key, 12 nonce, the text, 16 tag.
CREATE TABLE messages (
	organization_number BIGINT NOT NULL,
	message             {id} NOT NULL,
	sender              {id} NOT NULL,
	recipient           {id} NOT NULL,    -- an account, or a group
	is_group            INTEGER NOT NULL,
	content             {bytes} NOT NULL, -- none: it was recalled
	blob                {id} NOT NULL,    -- the bytes of its attachment; none where there is none
	created             BIGINT NOT NULL,
	expires             BIGINT NOT NULL,  -- 2^53: never
	ends                BIGINT NOT NULL,  -- when it is gone for all; 2^53 plus the day of its sending: never
	ttl                 INTEGER NOT NULL, -- minutes, as asked for
	dor                 INTEGER NOT NULL, -- goes once it was read
	priority            INTEGER NOT NULL,
	sort                BIGINT NOT NULL,  -- the position at which it was sent
	recalled            INTEGER NOT NULL,
	replay              INTEGER NOT NULL, -- 1, to a group whose history was on: future members get it; 2, while it
	                                      -- was off: those get it in its order who wait for what was sent before
	original_sender     {id} NOT NULL,    -- of one that was forwarded; none else
	original_created    BIGINT NOT NULL,
	thread              BIGINT NOT NULL,  -- 48 bits of its conversation's tokens (ThreadOf)
	escalation          {bytes} NOT NULL, -- the message that is escalated, and in one byte the step that sent this one
	                                      -- on, 0: it is that message; none: neither
	PRIMARY KEY (organization_number, message)
){table};
-- The order of a conversation: an entry for each message, whoever has copies.
CREATE INDEX messages_thread ON messages (organization_number, thread, sort, recalled);
CREATE INDEX messages_ends ON messages (ends, organization_number, recipient);
CREATE INDEX messages_replay ON messages (recipient, sort) WHERE replay > 0;
-- What an organization has attached is counted.
CREATE INDEX messages_blob ON messages (organization_number, blob) WHERE length(blob) > 0;

-- A recipient's copy of a message. Copies of a message lie together, where its statuses are counted.
CREATE TABLE deliveries (
	organization_number BIGINT NOT NULL,
	message             {id} NOT NULL,
	account             {id} NOT NULL,
	position            BIGINT NOT NULL,  -- of its event in the account's queue
	replayed            INTEGER NOT NULL, -- it came with a group's history: it counts in no status
	status              INTEGER NOT NULL,
	status_time         BIGINT NOT NULL,
	status_event        BIGINT NOT NULL,  -- position of the last event that told the sender; 0: none
	PRIMARY KEY (organization_number, message, account)
){table};

-- How a message is sent on while nobody has heard it (internal/service/escalation.go). It goes with its message.
CREATE TABLE escalations (
	organization_number BIGINT NOT NULL,
	message             {id} NOT NULL,
	until               INTEGER NOT NULL, -- the status that ends it: 2 Read, 3 Confirmed
	state               INTEGER NOT NULL, -- 0 open, 1 read, 2 confirmed, 3 recalled, 4 cancelled, 5 exhausted
	ended               BIGINT NOT NULL,  -- when; 0: it is open
	done                INTEGER NOT NULL, -- the last step that was done
	PRIMARY KEY (organization_number, message)
){table};
CREATE INDEX escalations_open ON escalations (organization_number) WHERE state = 0;

-- Whom a step of an escalation sends a message on to.
CREATE TABLE escalation_targets (
	organization_number BIGINT NOT NULL,
	message             {id} NOT NULL,
	step                INTEGER NOT NULL, -- from 1 on
	entity              {id} NOT NULL,
	is_group            INTEGER NOT NULL,
	minutes             INTEGER NOT NULL, -- from sending until the step is due
	done                BIGINT NOT NULL,  -- when the step was done; 0: not yet
	sent                {id} NOT NULL,    -- the message that it sent; none where it sent none
	PRIMARY KEY (organization_number, message, step, entity)
){table};
CREATE INDEX escalation_targets_entity ON escalation_targets (entity);

-- An escalation that an organization keeps under a name for its members.
CREATE TABLE escalation_policies (
	organization {text} NOT NULL,
	name         {text} NOT NULL,
	until        INTEGER NOT NULL,
	steps        TEXT NOT NULL,           -- JSON: minutes, and tokens of accounts and groups
	PRIMARY KEY (organization, name)
){table};

-- An event in an account's queue. The key is the order in which queues are read. One of kind 1 (message) or
-- 2 (group_message) brings a message, and has no payload; eventKinds lists the other kinds.
CREATE TABLE events (
	account             {id} NOT NULL,
	position            BIGINT NOT NULL,
	organization_number BIGINT NOT NULL,  -- 0: of none; -2: it tells of the account's own access
	kind                INTEGER NOT NULL,
	message             {id} NOT NULL,
	payload             TEXT NOT NULL,    -- names accounts and groups, these as groups.name did then
	status              INTEGER NOT NULL, -- of the copy that it brings, so that reading a queue looks for no copies
	PRIMARY KEY (account, position)
){table};
-- What takes the place of an earlier one of its kind: account:settings and admin_request.
CREATE INDEX events_one ON events (account, organization_number) WHERE kind IN (8, 10);

-- An event that was acknowledged, while its account has webhooks: it is kept for these some days. The columns are those of
-- events.
CREATE TABLE kept_events (
	account             {id} NOT NULL,
	position            BIGINT NOT NULL,
	organization_number BIGINT NOT NULL,
	kind                INTEGER NOT NULL,
	message             {id} NOT NULL,
	payload             TEXT NOT NULL,
	status              INTEGER NOT NULL,
	PRIMARY KEY (account, position)
){table};

-- What is out of an account's queue and still lies there: readers leave it out, and the sweep removes it.
CREATE TABLE withdrawals (
	account             {id} NOT NULL,
	organization_number BIGINT NOT NULL, -- only events of this organization; -1: of all
	entity              {id} NOT NULL,   -- only messages of the conversation with it; none: everything
	position            BIGINT NOT NULL, -- up to which
	PRIMARY KEY (account, organization_number, entity)
){table};

-- An account whose queue has grown, so that the sweep looks whether it holds more than it may.
CREATE TABLE grown_queues (
	account {id} NOT NULL,
	PRIMARY KEY (account)
){table};

-- What an account's roster says of another account in an organization. Groups and their members have theirs: of a group
-- there is only a row, with cleared, where the account has removed it from its roster.
CREATE TABLE conversations (
	account         {id} NOT NULL,
	organization    {text} NOT NULL,
	entity          {id} NOT NULL,
	last_message    BIGINT NOT NULL,  -- when the last message was sent, there still or not
	last_sort       BIGINT NOT NULL,  -- its sort
	unread          BIGINT NOT NULL,
	unread_priority BIGINT NOT NULL,
	cleared         BIGINT NOT NULL,  -- the position up to which the account removed the conversation
	listed          INTEGER NOT NULL, -- shown in the roster
	PRIMARY KEY (account, organization, entity)
){table};

-- What an account muted in an organization; entity 0: all of the organization.
CREATE TABLE mutes (
	account      {id} NOT NULL,
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	is_group     INTEGER NOT NULL,
	minutes      BIGINT NOT NULL,
	started      BIGINT NOT NULL,
	PRIMARY KEY (account, organization, entity)
){table};

-- A browser in which an account wants to be told of new messages (Web Push).
CREATE TABLE push_subscriptions (
	account      {id} NOT NULL,
	subscription {id} NOT NULL,
	api_key      {text} NOT NULL,  -- with which it was made, and with which it ends
	host         TEXT NOT NULL,    -- of the push service
	mark         {bytes} NOT NULL, -- the same for the same browser: a code of where it is reached
	sealed       {bytes} NOT NULL, -- where it is reached, and for whom to encrypt
	created      BIGINT NOT NULL,
	last_success BIGINT NOT NULL,  -- when the push service last took something; 0: it never did
	rests        BIGINT NOT NULL,  -- until when nothing is pushed that can wait
	unwanted     BIGINT NOT NULL,  -- until when the push service asked for nothing at all
	pushes       BIGINT NOT NULL,  -- how many were begun
	told         BIGINT NOT NULL,  -- which of them was the last that the push service took; 0: none
	PRIMARY KEY (account, subscription)
){table};
CREATE UNIQUE INDEX push_subscriptions_mark ON push_subscriptions (mark);
CREATE INDEX push_subscriptions_subscription ON push_subscriptions (subscription);
CREATE INDEX push_subscriptions_key ON push_subscriptions (api_key);
CREATE INDEX push_subscriptions_created ON push_subscriptions (created);

-- What an account sent, or which account it made, under a Request-ID, for as long as that may be repeated.
CREATE TABLE requests (
	account      {id} NOT NULL,
	request      {text} NOT NULL,  -- of an account: with a blank, and its place in the call
	fingerprint  {bytes} NOT NULL, -- of what was asked for, sealed
	organization {text} NOT NULL,
	message      {id} NOT NULL,    -- or the account; none: that was erased
	ttl          INTEGER NOT NULL,
	created      BIGINT NOT NULL,
	PRIMARY KEY (account, request)
){table};
CREATE INDEX requests_created ON requests (created);

-- A JSON object that is kept for an account or a group in an organization, sealed as messages are.
CREATE TABLE metadata (
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	content      {bytes} NOT NULL,
	PRIMARY KEY (organization, entity)
){table};

-- How many bytes an organization's metadata takes (LENGTH(content) of all), for its limit.
CREATE TABLE metadata_sizes (
	organization {text} NOT NULL,
	bytes        BIGINT NOT NULL,
	PRIMARY KEY (organization)
){table};


-- ==================================================================================================================
-- Files: the bytes lie beside the store, these are the references to them
-- ==================================================================================================================

-- The bytes of an attachment or a picture, with the number of rows that refer to them.
CREATE TABLE blobs (
	blob  {id} NOT NULL,
	refs  BIGINT NOT NULL,
	bytes BIGINT NOT NULL, -- how many there are, before they are sealed
	PRIMARY KEY (blob)
){table};

-- Bytes that nothing refers to any more, which the sweep removes.
CREATE TABLE erasures (
	blob {id} NOT NULL,
	PRIMARY KEY (blob)
){table};

-- Whose picture some bytes are.
CREATE TABLE avatars (
	blob         {id} NOT NULL,
	entity       {id} NOT NULL,
	is_group     INTEGER NOT NULL,
	content_type TEXT NOT NULL,
	PRIMARY KEY (blob)
){table};
CREATE INDEX avatars_entity ON avatars (entity);


-- ==================================================================================================================
-- Legal holds: messages that are over for everybody leave the tables that readers look into, and come here
-- ==================================================================================================================

-- A legal hold on an organization, or one that was lifted (released) and of which something is still kept.
CREATE TABLE holds (
	organization {text} NOT NULL,
	since        BIGINT NOT NULL,
	released     INTEGER NOT NULL,
	PRIMARY KEY (organization)
){table};

-- A message that only a hold keeps, with the columns of messages. There are few: the token is not shortened.
CREATE TABLE held_messages (
	organization     {text} NOT NULL,
	message          {id} NOT NULL,
	sender           {id} NOT NULL,
	recipient        {id} NOT NULL,
	is_group         INTEGER NOT NULL,
	content          {bytes} NOT NULL,
	blob             {id} NOT NULL,
	created          BIGINT NOT NULL,
	expires          BIGINT NOT NULL,
	ends             BIGINT NOT NULL,
	ttl              INTEGER NOT NULL,
	dor              INTEGER NOT NULL,
	priority         INTEGER NOT NULL,
	sort             BIGINT NOT NULL,
	recalled         INTEGER NOT NULL,
	replay           INTEGER NOT NULL,
	original_sender  {id} NOT NULL,
	original_created BIGINT NOT NULL,
	escalation       {bytes} NOT NULL,
	PRIMARY KEY (organization, message)
){table};
CREATE INDEX held_messages_expires ON held_messages (organization, expires);

-- Who got such a message.
CREATE TABLE held_deliveries (
	organization {text} NOT NULL,
	message      {id} NOT NULL,
	account      {id} NOT NULL,
	status       INTEGER NOT NULL,
	status_time  BIGINT NOT NULL,
	PRIMARY KEY (organization, message, account)
){table};


-- ==================================================================================================================
-- The search index of an organization (search.go)
-- ==================================================================================================================

-- An account or a group as the index has it: the folded values that it is sorted by, and its words.
CREATE TABLE search_entities (
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	kind         INTEGER NOT NULL, -- 0 account, 1 public group, 2 private group
	display_name {text} NOT NULL,
	first_name   {text} NOT NULL,
	last_name    {text} NOT NULL,
	username     {text} NOT NULL,
	email        {text} NOT NULL,
	phone        {text} NOT NULL,
	title        {text} NOT NULL,
	department   {text} NOT NULL,
	words        TEXT NOT NULL,
	PRIMARY KEY (organization, entity)
){table};
CREATE INDEX search_entities_display_name ON search_entities (organization, kind, display_name, entity);
CREATE INDEX search_entities_first_name ON search_entities (organization, kind, first_name, entity);
CREATE INDEX search_entities_last_name ON search_entities (organization, kind, last_name, entity);
CREATE INDEX search_entities_username ON search_entities (organization, kind, username, entity);
CREATE INDEX search_entities_email ON search_entities (organization, kind, email, entity);
CREATE INDEX search_entities_phone ON search_entities (organization, kind, phone, entity);
CREATE INDEX search_entities_title ON search_entities (organization, kind, title, entity);
CREATE INDEX search_entities_department ON search_entities (organization, kind, department, entity);

-- A display name that an account is giving itself, so that of two which give themselves the same one waits for the
-- other: no row is there when its transaction has ended.
CREATE TABLE name_claims (
	organization {text} NOT NULL,
	display_name {text} NOT NULL,  -- as search_entities has it
	PRIMARY KEY (organization, display_name)
){table};

-- A word of an account or a public group, with the fields that have it. The key is the order of pages for a text of
-- one or two letters (prefix); the index is that of longer texts.
CREATE TABLE search_words (
	organization {text} NOT NULL,
	kind         INTEGER NOT NULL,
	prefix       {text} NOT NULL,
	display_name {text} NOT NULL,
	entity       {id} NOT NULL,
	word         {text} NOT NULL,
	fields       INTEGER NOT NULL, -- the sum of 2^field
	PRIMARY KEY (organization, kind, prefix, display_name, entity, word)
){table};
CREATE INDEX search_words_word ON search_words (organization, kind, word, entity, display_name, fields);


-- ==================================================================================================================
-- The audit log: a chain for each organization, and one with the empty name for the platform
-- ==================================================================================================================

-- A line of the log, with the hash that ties it to the line before.
CREATE TABLE audit_entries (
	chain        {text} NOT NULL,
	number       BIGINT NOT NULL,  -- 1, 2, 3 and so on: none is left out
	at           BIGINT NOT NULL,
	action       TEXT NOT NULL,
	outcome      TEXT NOT NULL,
	times        BIGINT NOT NULL,
	account      {id} NOT NULL,    -- who acted
	api_key      TEXT NOT NULL,
	address      TEXT NOT NULL,
	request      TEXT NOT NULL,
	organization TEXT NOT NULL,
	on_account   {id} NOT NULL,    -- what it was done to
	on_group     {id} NOT NULL,
	on_key       TEXT NOT NULL,
	detail       TEXT NOT NULL,
	hash         {bytes} NOT NULL,
	PRIMARY KEY (chain, number)
){table};
CREATE INDEX audit_entries_at ON audit_entries (chain, at);
-- What is asked for: what an account did, what was done to it, some kinds of acts, and refusals, which are few.
CREATE INDEX audit_entries_account ON audit_entries (chain, account, number);
CREATE INDEX audit_entries_on_account ON audit_entries (chain, on_account, number);
CREATE INDEX audit_entries_action ON audit_entries (chain, action, number);
CREATE INDEX audit_entries_outcome ON audit_entries (chain, outcome, number) WHERE outcome <> 'ok';

-- The names that a line user.rename is about. The line has a hash of them and of the salt, so that they are proven while
-- they are here, and can go without the line when their account is erased.
CREATE TABLE audit_names (
	chain   {text} NOT NULL,
	number  BIGINT NOT NULL,
	account {id} NOT NULL,         -- whose names they are
	salt    {bytes} NOT NULL,
	names   TEXT NOT NULL,         -- JSON
	PRIMARY KEY (chain, number)
){table};
CREATE INDEX audit_names_account ON audit_names (account);

-- The newest line of a chain. A transaction that adds a line locks this row.
CREATE TABLE audit_chains (
	chain  {text} NOT NULL,
	number BIGINT NOT NULL,
	at     BIGINT NOT NULL,
	hash   {bytes} NOT NULL,
	PRIMARY KEY (chain)
){table};

-- The newest signed checkpoint of a chain, and (oldest) that of the last line which was removed for its age.
CREATE TABLE audit_checkpoints (
	chain  {text} NOT NULL,
	oldest INTEGER NOT NULL,
	number BIGINT NOT NULL,
	note   TEXT NOT NULL,
	PRIMARY KEY (chain, oldest)
){table};


-- ==================================================================================================================
-- Work that a transaction leaves, because it would write too much
-- ==================================================================================================================

-- A piece of what a call does to a group, or tells the members of an organization (internal/fanout). Those of a group are
-- done one after the other, each with some of its accounts at a time.
CREATE TABLE pieces (
	organization {text} NOT NULL,
	group_token  {id} NOT NULL,      -- none: it is about no group
	number       BIGINT NOT NULL,    -- the order
	noted        BIGINT NOT NULL,    -- when
	deed         INTEGER NOT NULL,   -- 1 enter, 2 leave, 3 tell, 4 recall, 5 tell all members
	kind         INTEGER NOT NULL,   -- of the event that it queues
	message      {id} NOT NULL,      -- which it is about, or none
	payload      TEXT NOT NULL,      -- of the event
	accounts     {bytes} NOT NULL,   -- whom it concerns: their identifiers, one after the other; of 5 who was told last
	PRIMARY KEY (organization, group_token, number)
){table};


-- ==================================================================================================================
-- Work that a transaction leaves to be done after it
-- ==================================================================================================================

-- Something that is to be done about a subject, not before it is due (internal/backlog).
CREATE TABLE jobs (
	due      BIGINT NOT NULL,      -- when; 0: at once
	number   {id} NOT NULL,        -- in the order in which a server noted them
	claimed  INTEGER NOT NULL,     -- a server is at it, and has until then
	kind     INTEGER NOT NULL,     -- what is done
	subject  {bytes} NOT NULL,     -- what it is about, in the form of its kind
	state    {bytes} NOT NULL,     -- how far it has come, in the form of its kind
	noted    BIGINT NOT NULL,      -- when
	failures INTEGER NOT NULL,     -- in a row
	PRIMARY KEY (due, number)
){table};

-- A day of an organization of whose messages one went, so that the day's key may go too; day -1: all its keys. Who
-- looked at a row deletes it with the times that it saw, and not what came after.
CREATE TABLE key_endings (
	organization {text} NOT NULL,
	lasting      INTEGER NOT NULL, -- of messages that never expire
	day          BIGINT NOT NULL,
	times        BIGINT NOT NULL,
	PRIMARY KEY (organization, lasting, day)
){table};

-- An organization in which somebody stopped being able to read messages, and so may have been the last who could.
CREATE TABLE departures (
	organization {text} NOT NULL,
	times        BIGINT NOT NULL,  -- how often that happened
	begun        BIGINT NOT NULL,  -- times when the search was begun
	looked       {bytes} NOT NULL, -- the message up to which it has come
	PRIMARY KEY (organization)
){table};


-- ==================================================================================================================
-- Figures over time (internal/series)
-- ==================================================================================================================

-- What was counted within a minute, by a server (node) or of the store (a node of zeros, or of zeros and a 1), and
-- what that was in an hour: of an organization, or of the installation (none). Of an hour of the installation there is
-- a row as soon as there is one of its first minute. It names nobody.
CREATE TABLE figures (
	organization {text} NOT NULL,
	step         BIGINT NOT NULL,  -- how long that is, in seconds: 60 or 3600
	begun        BIGINT NOT NULL,  -- when it began
	node         {id} NOT NULL,
	counted      TEXT NOT NULL,    -- JSON; none: nothing yet
	people       {bytes} NOT NULL, -- of an organization's minutes: marks of who called, so that nobody counts twice
	PRIMARY KEY (organization, step, begun, node)
){table};


-- ==================================================================================================================
-- Servers that share the store; all three tables are empty where a server is alone on it
-- ==================================================================================================================

-- A server, there until its lease ends.
CREATE TABLE nodes (
	node    {id} NOT NULL,
	lease   BIGINT NOT NULL,
	name    TEXT NOT NULL,         -- its machine and process, for people
	version TEXT NOT NULL,         -- of its program
	started BIGINT NOT NULL,
	heard   BIGINT NOT NULL,       -- when it last extended its lease
	PRIMARY KEY (node)
){table};

-- An account's event stream on one of them, open or ended a moment ago.
CREATE TABLE streams (
	account {id} NOT NULL,
	stream  {id} NOT NULL,
	node    {id} NOT NULL,
	api_key {text} NOT NULL,
	organization {text} NOT NULL,  -- the key's scope
	opened  BIGINT NOT NULL,       -- a position, so that openings have one order on all nodes
	state   INTEGER NOT NULL,
	PRIMARY KEY (account, stream)
){table};
CREATE INDEX streams_node ON streams (node, state);

-- An account that lost some of its access a moment ago, so that each server ends what it may not read any more
-- (access_change.go). A row goes two minutes after a server has seen it.
CREATE TABLE access_changes (
	number  {id} NOT NULL,         -- of the change, which may be several accounts'
	account {id} NOT NULL,         -- zeros: any may
	PRIMARY KEY (number, account)
){table};
