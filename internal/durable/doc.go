// Package durable is for files that must survive a crash of the program or a power cut.
//
// A file that takes another one's place is written beside it first and renamed when
// all of it is on disk. So a reader, also after a crash, finds the old file or the
// new one, whole. Remains finds the unfinished files that a crash leaves. Locks keep
// other processes out of a file.
//
// The package knows the system's calls. It must not know what is in a file, nor what the
// rest of the program is.
package durable
