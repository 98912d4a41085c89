// Package standby keeps a second server's copy of an embedded store up to date: its database, its key
// ring and its files. The Sender is at the server that is followed, the first; the Follower at the one
// that follows, the standby.
//
// It owns what the two say to each other, the secret that both have, and the order in which a copy gets
// what it gets. It does not know which of the two serves clients, nor how one becomes the other
// (package succession), and of what is sealed it knows no key.
//
// # What is said
//
// Each of the two listens on an address of its own (setting standby.listen), by TLS where the server
// has a certificate, and takes requests with "Authorization: Bearer KEY" only:
//
//	GET  /standby/state       what the server is (State)
//	POST /standby/fence       a server of a higher term has taken over (Claim)
//	GET  /standby/files/ID    an attachment or an avatar, sealed as it is, of a first; HEAD: whether it is there
//	POST /standby/follow      becomes a connection of frames (Upgrade: signet-standby), at a first
//
// A frame is a byte that says its kind, four bytes with the length of what follows, that, and a CRC-32C
// of all of it. A standby begins with hello, which says what it has. Where the first knows what it lacks,
// because it followed a moment ago, that is sent. Else the standby sends digests of its pages, and the
// first compares: so a copy that was begun, or is old, or is of a server that was the first, gets only
// what differs.
//
// Then the first sends pages that were written, and a commit: from then on the copy is the database as
// it was after a commit of the first's, with the key ring and the files of that time. The standby
// acknowledges when all of it is on its disk. Then comes the next. While nothing is written, the first
// says so (current). What is written meanwhile waits as a bit for each page; nothing else waits at the
// first, and no caller of it.
//
// # By a bucket
//
// Where the two do not reach each other, the first puts the frames that it would send into objects of a bucket
// (deposit), and any number of standbys read them (collection). A session, which is a process of the first,
// begins with all pages. Its objects are numbered, and a commit ends one. The head says where a standby begins
// that has none of them: a cycle later every page was put again, and what was before is deleted. The key ring
// is an object of its own, which is replaced. A server that takes over claims a term by an object that can be
// made once (Bucket.Fence); the one before reads that, and says in its head when all is there. Every object is
// sealed with a key that is made of the shared secret and of its name.
package standby
