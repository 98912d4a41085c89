// Command licenses writes internal/licenses/notices.txt: the licence of everything that the
// program is made of, and what else its authors want to be passed on. It refuses a licence
// that is not on the list of those that fit (allowed in fits.go), and a text of which it
// cannot say which licence it is.
//
//	licenses [-check] ROOT
//
// With -check it compares the file, and does not write it.
//
// ROOT is the repository's. The modules are those that signet is linked of on any of the
// platforms that are released; the packages of npm those that web/package-lock.json has for
// the pages, and not for building them (npm ci has to have been run).
package main
