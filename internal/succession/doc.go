// Package succession decides which server of a pair is the first: it turns a standby into the server
// (Promote), keeps the one before from confirming anything more (Fenced), and makes a standby of a server
// that was the first (Demote).
//
// It owns the term, which each promotion raises, and these files of a data directory:
//
//	standby.json    that the directory is a standby's, or was promoted, and in which term
//	standby.db*     the copy, which becomes signet.db (sqlite.Replica)
//	fenced.json     that another server took over: no server starts on the directory
//	promote.json    what "signet promote" asks the standby that runs, and its answer
//
// A directory is a standby's from the first start with standby_of until Promote. Whatever interrupts that,
// the next start, or the next "signet promote", finishes it. What is copied, and how, is for package
// standby.
package succession
