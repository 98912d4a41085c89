// Command evaluator is a Prometheus without a clock and without a network, for tests: it stores
// scrapes at the times that it is told, evaluates rules at the times that it is told, and
// says which alerts fire. Storing, parsing and evaluating are done by Prometheus' own packages, in
// the way that promtool tests rules. It also reads Grafana's boards strictly, by the types that
// Grafana publishes.
//
// It reads requests from its standard input, a line of JSON each, and answers each with a line. It
// ends with its input. Package promtest, in the module above, speaks with it; what it is made of is
// no part of that module.
package main
