// Package sqlite is the embedded engine of the store: one SQLite file, written
// by one goroutine and read by a few connections at the same time.
//
// It owns the database's files, the order of transactions, the positions it
// hands out, and the translation of SQLite's errors. It knows no table of the
// store's, and nothing above the store knows that it is SQLite.
//
// # On disk
//
// For a database at data/signet.db:
//
//	data/lock           held by the running server, with its process number (LockDirectory)
//	data/signet.db      the database; its owner alone may read it
//	data/signet.db-wal  the write-ahead log: what was committed and is not in the database yet
//	data/signet.db-shm  which pages the log holds; made anew at each start
//
// While the server runs, or after it was killed, the first and the third file
// belong together: copy neither alone. Use Backup, or copy after a clean stop,
// which leaves signet.db only. Any SQLite shell may read the file at any time
// (a lasting read holds up Erase); nothing may write to it but the server and,
// beside it, an engine that was opened so (Options.Beside). That one makes no
// checkpoint and erases nothing; whatever it writes takes the mark of good order
// from the file, and every transaction reads the last position and the number of
// access anew.
//
// The file has application_id 0x53676e74 ("Sgnt"). Beside the store's tables it
// holds the engine's own, engine_state (name, value):
//
//	position  the last position that was committed
//	access    the number of all accounts' access (store.AccessVersion)
//	clean     1 if the engine was closed in good order, and no page holds
//	          remains of deleted rows; 0 while it runs
//
// # Settings, and why
//
// Pages are 4,096 bytes. The store's rows have some 350, in tables that are
// clustered by their keys, so that a page holds about eleven, a row of up to
// 1,002 bytes needs no overflow page, and a write of one row at a random place
// costs one page of 4 KiB in the log and one in the file. Pages of 8,192 bytes
// were measured: as fast in memory, but with two thirds more bytes written, and
// disks are what limits.
//
// The journal is the write-ahead log, synced at every commit (synchronous=FULL):
// what was acknowledged survives a power cut. secure_delete is on. auto_vacuum
// is off: free pages are zeroed and used again; the file does not shrink, but a
// backup leaves them out. Temporary data stays in memory.
//
// # Writing
//
// The writer takes whatever waits, up to 256 requests, into one transaction, and
// answers all of them after its one sync. It tries without savepoints first,
// because a savepoint makes SQLite copy every page that is touched (measured: 55
// of 160 µs for a message). If a request fails after it wrote something, all
// begins again, with a savepoint for each, so that the failure is undone alone.
// If SQLite gave the transaction up (disk full, I/O error) or could not commit
// it, each request gets a transaction of its own, and an outcome of its own. A
// function may so run three times.
//
// The pages of a transaction go to the log in one piece, by a VFS of the writer's
// (logfile.go), where SQLite makes two calls of the system for each.
//
// # Reading
//
// Each of a few connections reads one snapshot at a time. Short Views (store.Short)
// that are ready at the same time share one: the first runs the functions of all.
//
// # Checkpoints
//
// Whenever 8,000 pages (32 MiB) are in the log and not in the database, a goroutine beside
// the writer copies them, on a connection of its own (copier). It does not hold anybody
// up, and copies a page that was written many times once. What is written meanwhile is
// a few hundred pages, which the writer then copies itself, between two transactions: only a
// log that is in the database to its end starts again from its beginning, and beside a
// writer that does not pause that would never be.
//
// Constant reading keeps it from that too; so at twice that length, new Views wait for
// up to ten milliseconds until the running ones have ended. Only a View or a
// Backup that lasts longer lets the log grow further. A writer that writes more than the
// disk takes waits for the copier once it is another 8,000 pages ahead.
//
// After a failure to write or to synchronize the database file, the whole log is copied again: what was
// copied before may be lost, and the system tells so but once (doubt.go).
//
// # Copies elsewhere
//
// A Feed reads the database page by page for a copy on another machine, which a Replica keeps. The
// writer notes after each transaction which pages are in the log, a bit for each (changes.go). A
// reader's snapshot then has what those pages are after a commit. So no frame of the log has to be
// there until a slow copy has it, the log starts again as ever, and a page that was written a
// hundred times meanwhile is read once. What is written all the time is read from the log and the
// file themselves, in that snapshot (feed_direct.go); SQLite reads the rest. A Replica writes the
// pages of a commit to a log of its own first (pagelog.go), so that it is always the database as it
// was after one.
//
// # Erasing
//
// secure_delete is not enough. When SQLite balances a B-tree it leaves images
// of moved cells in the unallocated space of pages; and the log keeps older
// versions of pages. The writer notes which pages checkpoints copied; Erase
// zeroes the unallocated space of those in the file, and truncates the log. The
// reasons why that is safe are at the function scrub. After a crash the notes
// are gone, so that the next Erase goes through the whole file. What a file
// system or a disk keeps of blocks that were overwritten or freed is beyond this.
// Databases of 128 GiB and more are not scrubbed (scrubLimit); there, as
// everywhere, content is sealed, and ends with its key.
package sqlite
