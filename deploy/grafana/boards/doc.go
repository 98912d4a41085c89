// Command boards writes the boards of Grafana that lie in deploy/grafana. It owns what is on them
// and how they look alike: a data source, an installation and its servers to choose, units, and a
// description of each panel. It knows the metrics by their names only, which a test holds to those that
// servers serve (internal/app).
package main

//go:generate go run . ..
