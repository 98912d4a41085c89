// Package durable is for files that must survive a crash of the program or a power cut.
//
// A file that takes another one's place is written beside it first and renamed when all
// of it is on disk, so that a reader, and who starts again after a crash, finds the old
// file or the new one, whole. What a crash leaves of an unfinished one is a file whose
// name Remains tells. Locks keep other processes out of a file.
//
// The package knows the system's calls. It must not know what is in a file, nor what the
// rest of the program is.
package durable
