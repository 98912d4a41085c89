// Package alert makes messages of the alerts that monitoring systems POST: Prometheus Alertmanager, and
// Grafana's alerting.
//
// It owns what both formats have in common, the text of the message, and which alert is which: one that is
// told again makes no second message within a day, and one that is resolved answers the message that told of
// it. Who gets what the settings of the organization say (model.AlertRoute). It does not know HTTP.
package alert
