// Package transfer moves whole installations: into a backup (Backup), out of one
// (Restore), and from the embedded store to PostgreSQL (Migrate).
//
// It owns the form of a backup and the order of steps, so that whatever interrupts
// them leaves nothing that looks whole and is not. It knows no row of the store's:
// that copies its tables by their columns (store/tablecopy). What is moved is named one by
// one, the database and the blobs that it refers to; a data directory holds other
// things besides, such as credentials, which are not for a backup.
//
// # A backup
//
// A directory, or a tar archive of the same files in this order:
//
//	blobs/ab/cd/<32 hex> each blob that the database refers to, as the data directory has them
//	signet.db            the database, a file of SQLite
//	SHA256SUMS           the digest of each of these files, in the form of sha256sum
//	manifest.json        what the backup is, and the digest of SHA256SUMS (Manifest)
//
// manifest.json comes last: a backup without it was not finished.
package transfer
