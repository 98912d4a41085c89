// Package deploy is no code: its directory has the files that servers are put up
// with (an image, Compose, Kubernetes, systemd), and the tests that hold them to the
// program: settings that exist, ports and names that agree, times that are long enough.
package deploy
