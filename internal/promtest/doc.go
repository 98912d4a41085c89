// Package promtest gives tests a Prometheus that lives by the test's clock: it takes scrapes of a real
// server at the times that the test says, evaluates the rules of deploy/prometheus, and says
// which alerts fire. It also takes expressions apart, and reads Grafana's boards.
//
// The work is done by Prometheus' own packages, in a program that is a module of its own (directory
// evaluator), which Go builds the first time and keeps. Package promtest owns that program's life, and
// knows nothing of servers. It is imported by tests only.
package promtest
