package store

import (
	"cmp"
	"strings"
)

// schema is the first version of the tables; docs/storage.md describes each.
// {id}, {bytes}, {text} and {table} are the engine's (Dialect). Times are milliseconds
// since 1970, positions are those of Session.Position.
//
// Every primary key begins with the account or organization, or with the
// platform-wide name that it resolves, so that the tables can be spread. Texts in
// keys are {text}: the order of their index then depends on no language, which an
// upgrade of the database's system may change under it.
const schema = `
CREATE TABLE accounts (
	account      {id} NOT NULL,
	username     TEXT NOT NULL,
	display_name TEXT NOT NULL,
	first_name   TEXT NOT NULL,
	last_name    TEXT NOT NULL,
	avatar       TEXT NOT NULL,
	status       TEXT NOT NULL,
	dnd          INTEGER NOT NULL,
	dnd_text     TEXT NOT NULL,
	emails       TEXT NOT NULL,
	phones       TEXT NOT NULL,
	password     TEXT NOT NULL,
	operator     INTEGER NOT NULL,
	created_by   TEXT NOT NULL,
	created      BIGINT NOT NULL,
	PRIMARY KEY (account)
){table};

CREATE TABLE addresses (
	kind    INTEGER NOT NULL,
	address {text} NOT NULL,
	account {id} NOT NULL,
	PRIMARY KEY (kind, address)
){table};

CREATE TABLE organizations (
	organization {text} NOT NULL,
	name         TEXT NOT NULL,
	settings     TEXT NOT NULL,
	created      BIGINT NOT NULL,
	PRIMARY KEY (organization)
){table};

CREATE TABLE memberships (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	title        TEXT NOT NULL,
	department   TEXT NOT NULL,
	joined       BIGINT NOT NULL,
	since        BIGINT NOT NULL,
	PRIMARY KEY (organization, account)
){table};
CREATE INDEX memberships_account ON memberships (account);

CREATE TABLE roles (
	organization {text} NOT NULL,
	account      {id} NOT NULL,
	role         {text} NOT NULL,
	pending      INTEGER NOT NULL,
	PRIMARY KEY (organization, account, role)
){table};
CREATE INDEX roles_role ON roles (organization, role, pending);

CREATE TABLE keys (
	api_key             {text} NOT NULL,
	account             {id} NOT NULL,
	kind                INTEGER NOT NULL,
	secret_hash         {bytes} NOT NULL,
	previous_hash       {bytes} NOT NULL,
	previous_until      BIGINT NOT NULL,
	counter             {text} NOT NULL,
	issued_by           {id} NOT NULL,
	device              TEXT NOT NULL,
	login               INTEGER NOT NULL,
	messages_per_day    BIGINT NOT NULL,
	requests_per_second BIGINT NOT NULL,
	created             BIGINT NOT NULL,
	last_used           BIGINT NOT NULL,
	expires             BIGINT NOT NULL,
	PRIMARY KEY (api_key)
){table};
CREATE INDEX keys_account ON keys (account);

CREATE TABLE quotas (
	counter {text} NOT NULL,
	day     BIGINT NOT NULL,
	sent    BIGINT NOT NULL,
	PRIMARY KEY (counter, day)
){table};

CREATE TABLE messages (
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
	PRIMARY KEY (organization, message)
){table};
CREATE INDEX messages_ends ON messages (ends);
CREATE INDEX messages_replay ON messages (recipient, sort) WHERE replay = 1;

CREATE TABLE deliveries (
	organization {text} NOT NULL,
	message      {id} NOT NULL,
	account      {id} NOT NULL,
	position     BIGINT NOT NULL,
	replayed     INTEGER NOT NULL,
	status       INTEGER NOT NULL,
	status_time  BIGINT NOT NULL,
	status_event BIGINT NOT NULL,
	PRIMARY KEY (organization, message, account)
){table};

CREATE TABLE events (
	account      {id} NOT NULL,
	position     BIGINT NOT NULL,
	organization {text} NOT NULL,
	kind         TEXT NOT NULL,
	message      {id} NOT NULL,
	payload      TEXT NOT NULL,
	PRIMARY KEY (account, position)
){table};

CREATE TABLE conversations (
	account         {id} NOT NULL,
	organization    {text} NOT NULL,
	entity          {id} NOT NULL,
	is_group        INTEGER NOT NULL,
	last_message    BIGINT NOT NULL,
	unread          BIGINT NOT NULL,
	unread_priority BIGINT NOT NULL,
	cleared         BIGINT NOT NULL,
	listed          INTEGER NOT NULL,
	PRIMARY KEY (account, organization, entity)
){table};

CREATE TABLE requests (
	account      {id} NOT NULL,
	request      {text} NOT NULL,
	fingerprint  {bytes} NOT NULL,
	organization {text} NOT NULL,
	message      {id} NOT NULL,
	ttl          INTEGER NOT NULL,
	created      BIGINT NOT NULL,
	PRIMARY KEY (account, request)
){table};
CREATE INDEX requests_created ON requests (created);

CREATE TABLE blobs (
	blob    {id} NOT NULL,
	refs    BIGINT NOT NULL,
	PRIMARY KEY (blob)
){table};

CREATE TABLE erasures (
	blob    {id} NOT NULL,
	PRIMARY KEY (blob)
){table};

CREATE TABLE organization_erasures (
	organization {text} NOT NULL,
	PRIMARY KEY (organization)
){table};

CREATE TABLE avatars (
	blob         {id} NOT NULL,
	entity       {id} NOT NULL,
	is_group     INTEGER NOT NULL,
	content_type TEXT NOT NULL,
	PRIMARY KEY (blob)
){table};
CREATE INDEX avatars_entity ON avatars (entity);

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
	deleted        INTEGER NOT NULL,
	PRIMARY KEY (group_token)
){table};
CREATE INDEX groups_organization ON groups (organization);

CREATE TABLE group_members (
	group_token  {id} NOT NULL,
	account      {id} NOT NULL,
	organization {text} NOT NULL,
	joined       BIGINT NOT NULL,
	PRIMARY KEY (group_token, account)
){table};
CREATE INDEX group_members_account ON group_members (account, organization);

CREATE TABLE metadata (
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	content      {bytes} NOT NULL,
	PRIMARY KEY (organization, entity)
){table};

CREATE TABLE mutes (
	account      {id} NOT NULL,
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	is_group     INTEGER NOT NULL,
	minutes      BIGINT NOT NULL,
	started      BIGINT NOT NULL,
	PRIMARY KEY (account, organization, entity)
){table};

CREATE TABLE nodes (
	node  {id} NOT NULL,
	lease BIGINT NOT NULL,
	PRIMARY KEY (node)
){table};

CREATE TABLE streams (
	account {id} NOT NULL,
	stream  {id} NOT NULL,
	node    {id} NOT NULL,
	api_key {text} NOT NULL,
	opened  BIGINT NOT NULL,
	state   INTEGER NOT NULL,
	PRIMARY KEY (account, stream)
){table};
CREATE INDEX streams_node ON streams (node, state);

CREATE TABLE search_entities (
	organization {text} NOT NULL,
	entity       {id} NOT NULL,
	kind         INTEGER NOT NULL,
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

CREATE TABLE search_words (
	organization {text} NOT NULL,
	kind         INTEGER NOT NULL,
	field        INTEGER NOT NULL,
	prefix       {text} NOT NULL,
	display_name {text} NOT NULL,
	entity       {id} NOT NULL,
	word         {text} NOT NULL,
	PRIMARY KEY (organization, kind, field, prefix, display_name, entity, word)
){table};
CREATE INDEX search_words_word ON search_words (organization, kind, field, word, entity, display_name);
`

// keyNetworks is where a key may be used from: networks in CIDR notation with commas
// in between, empty for everywhere.
const keyNetworks = `
ALTER TABLE keys ADD COLUMN networks TEXT NOT NULL DEFAULT '';
`

// render puts the engine's own words into a statement.
func (d Dialect) render(sql string) string {
	text := cmp.Or(d.Text, "TEXT")
	return strings.NewReplacer("{id}", d.ID, "{bytes}", d.Bytes, "{text}", text, "{table}", d.Suffix).Replace(sql)
}
