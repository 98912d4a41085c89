// Package postgres is the engine of the store for many nodes: a PostgreSQL
// database, version 15 or later, that any number of servers share.
//
// It owns the connections, the beginning, end and repetition of transactions, the
// positions it hands out, and the translation of PostgreSQL's errors. It knows no
// table of the store's, and nothing above the store knows that it is PostgreSQL.
//
// # Tables
//
// Beside the store's tables it keeps two of its own:
//
//	engine_queues (account, last, access)  the last position handed out for each account, and
//	                                       the number of its access
//	engine_writes (write)                  the write ids of the last minutes' Updates
//
// There are no sequences, triggers, advisory locks or notifications, so that the
// tables can be spread over the servers of a distributed PostgreSQL. What servers
// tell each other by notifications (live/pgbus) is no part of the store, which works
// without.
//
// # Transactions
//
// An Update is READ COMMITTED: what must not change between reading and writing is
// locked by its rows, in one order, which the store's SQL asks for (store, lock.go).
// Every statement sees what was committed when it began, and so, after a lock, what
// the transaction left that had it before. A View is a REPEATABLE READ snapshot.
//
// Statements travel in pipelines. BEGIN goes with the first statement that needs
// an answer, what was posted goes with the next one that does, and the last ones
// with COMMIT. A transaction so takes as many round trips as it waits for answers, and
// one more. What it asks without waiting (Session.Ask) is answered together: each
// statement of a pipeline still sees what the locks before it waited for.
//
// # Sharing
//
// Short transactions (store.Short) share one when several wait: their functions run
// side by side, each until it needs an answer, and all questions go in one pipeline;
// their positions are taken in one statement, for which those that take some wait for
// each other, and for all that have to hear something first: so queues are locked at
// once, and in the order of the accounts. One COMMIT brings all to the disk.
// So 64 senders cost the round trips of a few. A shared transaction waits for no row
// longer than 50 ms, and if anything goes wrong in it, for any of them, all run
// alone. Locks keep nobody apart within one transaction: of calls that change what
// belongs to one account (store.ShortOf) one at a time runs on this server.
//
// Messages to one group (store.Crowd) all need its row. Those that wait here while one
// is written share the next transaction, as many as write to some 250 queues, and wait
// for the row as long as each would alone.
//
// # Statistics
//
// The server plans by what it last saw of a table, and a connection keeps its plans until
// the server looks again. By itself it looks after a minute: too late for tables that
// were empty. So the engine has it look at those that have become four times as large
// (statistics.go).
//
// # Trying again
//
// A transaction is run again, after a random and growing while, when PostgreSQL
// ended it for others' sake (serialization failure, deadlock), when the connection
// was lost before COMMIT was sent, or when no connection could be made, for as long
// as the patience lasts. Callers see ErrUnavailable only after that; and at once
// while the server has been away for longer.
//
// When the connection is lost after COMMIT was sent, nobody knows whether it took
// effect. Each Update therefore inserts a write id of its own, and a transaction
// between that try and the next inserts the same: if that one is there, the first try
// took effect; if the server is about to commit that one, the insert waits; and if the
// server has not come so far, it cannot commit it any more, for the key is unique. The
// transaction in between also inserts an id that no try has, by which it is known again
// if its own answer is lost. So the function never runs while an earlier try may take
// effect, and what it left behind is of the try that did. Nothing is doubled, and nothing
// lost. Only when the server does not answer at all within the time allowed is the outcome
// left open, and the answer ErrUnavailable: it may be waiting for its synchronous replica,
// and what is not there yet is not to be confirmed. So it is when this machine stood still
// for minutes, and other servers may have removed the write id as too old meanwhile.
//
// # Another server
//
// A server that ends tells its clients, and one that lets nobody write any more refuses
// them: the engine tries the next host of its address. A machine that stands still or
// is cut off does neither. So while an answer is due for longer than two seconds, the
// engine asks all hosts which of them lets write (hosts.go). If that is the silent
// server, it is waited for: it may be busy, or wait for a lock. If it is another one,
// the silent server was replaced, and can confirm nothing any more: the connections to
// it are closed, and what ran there is as after any lost connection. Servers are told
// apart by when they started, which also works behind an address that moves, and
// through a pooler.
//
// A connection whose network drops everything while the server is well ends when the
// system has waited ten seconds for a sign that the other machine got what was sent.
//
// # Positions
//
// A transaction takes positions by advancing the accounts' rows of engine_queues,
// locked in the order of the accounts, to one number greater than all of theirs and
// than the clock's microseconds. It locks the rows until it ends: so for each
// account numbers become visible in the order in which they were handed out, and a
// reader's cursor skips nothing. A clock that is behind makes no number go back.
//
// In the same rows lies the number of each account's access (store.AccessVersion), which
// whoever takes some of it away replaces. So it waits for those who hold positions of the
// account, and they for it, and a position comes with the number as it stays.
//
// # Poolers
//
// A pooler such as PgBouncer in transaction mode gives each transaction another
// server connection, on which statements prepared under a name, and settings, are
// not those of this client. The engine notices it when a connection is made: the
// process number that the pooler announced is not the one of the server behind it.
// Then statements go without names, their types stated by us (what pgx calls the
// exec mode, and one round trip all the same), and each transaction sets its own
// timeouts. The server behind a connection may have become a standby meanwhile: a View
// begins so that a standby refuses it, for it would read what was true a while ago.
// Without a pooler statements are prepared under names, which saves the
// server parsing and planning them each time. pgx's mode that caches
// descriptions would also work in both cases; but it is no faster than exec, for we
// know the types, and wrong after a table has changed.
//
// # Settings
//
// The engine sets statement_timeout, lock_timeout and
// idle_in_transaction_session_timeout for its sessions, so that a node that hangs
// delays no other one for long, synchronous_commit where the server has it off, and
// client_min_messages where it keeps its warnings to itself.
// Everything else is the server's. Connections are few (Options.Connections), since
// a transaction is short and a server serves some tens at a time best.
package postgres
