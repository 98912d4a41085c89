// Package deploy is no code: its directory has the files that servers are put up and
// watched with (an image, Compose, Kubernetes, systemd; rules for Prometheus, boards for
// Grafana), and the tests that hold them to the program: settings that exist, ports and
// names that agree, times that are long enough, a runbook for each alert.
package deploy
