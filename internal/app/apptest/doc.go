// Package apptest runs the whole server within a test, peoples it, sends it
// requests exactly as they are written down, and compares its answers with
// answers that are written down: those of docs/api, and those that published
// clients wait for.
//
// It owns how a written request or answer becomes a real one: placeholders such
// as <alice> stand for what only the server knows, and times and counters are
// compared by their form. Every exchange is held against the OpenAPI document
// too. It knows the interface from outside and nothing of how the server is
// made. It is imported by tests only.
package apptest
