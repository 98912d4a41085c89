// Command release makes what is published of a commit: archives with the program for each
// platform, packages for Debian and for those who use RPM, an image, lists of what is inside,
// and checksums, which it signs if somebody names a key. The same commit gives the same
// bytes, wherever and whenever it is made (but for the signature, if its kind is random).
//
//	release build [-out DIR] [-key FILE] [-platforms LIST] ROOT
//	release check DIR
//	release unpack IMAGE PLATFORM DIR
//
// ROOT is the repository's. The version and the time come from its commit, as Go's toolchain
// notes them in the program; a tree with changes is refused. "build" checks what it made, as
// "check" does. "unpack" writes the root file system of one platform's image into a
// directory.
//
// It owns what is in the packages and the image, and their names. Manual pages, completion,
// settings and licences it has from the program. It knows no registry, and needs no network.
package main
