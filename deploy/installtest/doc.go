// Package installtest holds the tests of what "make release" makes: packages are installed,
// upgraded and removed by dpkg and rpm, and the server in them is started; so is that in the
// image. It holds no code but tests, and knows nothing of how a release is made.
//
// The tests need root with CAP_SYS_ADMIN, or a user who may make namespaces: each installs into a
// copy of this machine's root file system that nobody else sees, and that is gone when it ends.
// Where that is forbidden, as in most containers, they install nothing, and say so; make test-all does
// before it begins. What is in a release is looked at all the same.
package installtest
