// Package helm is no code: its directory has the Helm chart, examples of its values, and the
// tests that hold them to the program and to Kubernetes. Each example is rendered with Helm's
// own engine and read as strictly as an API server does, by a program that is a module of its
// own (charttest).
package helm

//go:generate go test -run TestReadmeHasEveryValue|TestSchemaHasEverySetting|TestChartHasTheRulesOfPrometheus -update .
