package api

import (
	"context"

	"signet/internal/alert"
	"signet/internal/model"
)

// wireTold is what became of an alert.
type wireTold struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	Status      string `json:"status"`
	MessageID   string `json:"message_id"`
	Repeated    bool   `json:"repeated"`
}

// takeAlerts: POST /hook/alertmanager and /hook/grafana.
func (a *API) takeAlerts(system string) handler {
	return func(ctx context.Context, c *call) (answer, error) {
		n := alert.Notification{System: system, Receiver: c.body.Text("receiver")}
		const want = "a list of alerts, as Alertmanager and Grafana write it"
		if !c.body.Has("alerts") {
			c.body.Wrong("alerts", want)
		}
		c.body.Decode("alerts", &n.Alerts, want)
		query := c.readQuery()
		named := model.AlertRoute{Recipient: query.Text("recipient"), Escalate: query.Text("escalate")}
		if err := c.err(); err != nil {
			return answer{}, err
		}
		if len(n.Alerts) > alert.MaxAlerts {
			return answer{}, model.Invalidf("too_many_alerts", "alerts", "A call has at most %d alerts.", alert.MaxAlerts)
		}
		a.charge(c, costOfAlerts(len(n.Alerts)))
		told, err := a.alerts.Take(ctx, c.actor, named, &n)
		if err != nil {
			return answer{}, err
		}
		out := make([]wireTold, len(told))
		for i := range told {
			out[i] = wireTold{told[i].Alert.Fingerprint, told[i].Alert.Status, told[i].Message.String(), told[i].Repeated}
		}
		return reply(map[string]any{"messages": out}), nil
	}
}
