-- What a send writes, as plain SQL, for pgbench: the same tables and indexes, the
-- same statements in one transaction, in one pipeline: what a service could do at
-- the most that has a transaction for each send.
--
-- Of a real send it lacks what has to be read before (recipient, membership,
-- organization), one round trip that waits for the position, and HTTP.
--
-- Each client is a pair of people: 2*client sends, 2*client+1 receives. The counter
-- grows from a start that is the time, so that keys come in order, as identifiers
-- of version 7 do.
\set i :i + 1
\set r random(1, 9000000000000000000)
\set sender 2 * :client_id
\set recipient 2 * :client_id + 1
\startpipeline
BEGIN;
WITH held AS MATERIALIZED (
	SELECT last FROM engine_queues WHERE account IN (decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex'), decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex')) ORDER BY account FOR UPDATE
), top AS MATERIALIZED (SELECT COUNT(*) AS found, GREATEST(MAX(last) + 1, :i::bigint) AS last FROM held)
UPDATE engine_queues AS q SET last = top.last FROM top
	WHERE q.account IN (decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex'), decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex')) AND top.found = 2 RETURNING q.last;
SELECT 1 FROM memberships a JOIN memberships b ON b.organization = a.organization WHERE a.organization = 'pgbench-pgbench-pgbench-'
	AND a.account = decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex') AND b.account = decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex');
INSERT INTO messages (organization_number, message, sender, recipient, is_group, content, blob, created, expires, ends,
	ttl, dor, priority, sort, recalled, replay, original_sender, original_created, thread, escalation)
	VALUES (1, decode(lpad(to_hex(:i::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'), 'hex'),
	decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex'), decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex'), 0,
	decode(repeat('78', 238), 'hex'), '', :i::bigint / 1000, :i::bigint / 1000 + 2592000000, :i::bigint / 1000 + 2592000000,
	43200, 0, 0, :i::bigint, 0, 0, '', 0, :client_id, '');
INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared, listed)
	VALUES (decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex'), 'pgbench-pgbench-pgbench-', decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex'), :i::bigint / 1000, :i::bigint, 0, 0, 0, 1)
	ON CONFLICT (account, organization, entity) DO UPDATE SET last_message = excluded.last_message, last_sort = excluded.last_sort, listed = 1;
INSERT INTO deliveries (organization_number, message, account, position, replayed, status, status_time, status_event)
	VALUES (1, decode(lpad(to_hex(:i::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'), 'hex'),
	decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex'), :i::bigint, 0, 0, :i::bigint / 1000, 0);
INSERT INTO events (account, position, organization_number, kind, message, payload, status)
	VALUES (decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex'), :i::bigint, 1, 1,
	decode(lpad(to_hex(:i::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0'), 'hex'), '', 0);
INSERT INTO conversations (account, organization, entity, last_message, last_sort, unread, unread_priority, cleared, listed)
	VALUES (decode(lpad(to_hex(:recipient::bigint), 32, '0'), 'hex'), 'pgbench-pgbench-pgbench-', decode(lpad(to_hex(:sender::bigint), 32, '0'), 'hex'), :i::bigint / 1000, :i::bigint, 1, 0, 0, 1)
	ON CONFLICT (account, organization, entity) DO UPDATE SET last_message = CASE WHEN conversations.last_message > excluded.last_message
	THEN conversations.last_message ELSE excluded.last_message END, last_sort = excluded.last_sort, unread = conversations.unread + 1,
	unread_priority = conversations.unread_priority + excluded.unread_priority, listed = 1;
INSERT INTO engine_writes (write) VALUES (CAST(lpad(to_hex(:i::bigint), 16, '0') || lpad(to_hex(:r::bigint), 16, '0') AS uuid));
COMMIT;
\endpipeline
