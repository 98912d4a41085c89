package api_test

// newWebhook makes another webhook of the recipient, which has no more than two.
func (m *matrix) newWebhook() targets {
	for _, w := range m.operator.get(m.recipient.path("/webhook")).reply().list() {
		if id := w.text("webhook"); id != m.standing["webhook"] {
			m.operator.delete(m.recipient.path("/webhook/" + id)).want(204)
		}
	}
	made := m.recipient.post("/v2/user/me/webhook", fields{"url": nowhere}).reply()
	return targets{"webhook": made.text("webhook")}
}

// webhookRules are what the callers get of the webhooks of the recipient.
var webhookRules = []rule{
	{route: "GET /v2/user/:user/webhook", want: ownUser},
	{route: "POST /v2/user/:user/webhook", sent: sent(fields{"url": nowhere}), want: ownUser},
	{route: "GET /v2/user/:user/webhook/:webhook", want: ownUser},
	{route: "POST /v2/user/:user/webhook/:webhook", sent: sent(fields{"content": "full"}), want: ownUserNoBody},
	{route: "DELETE /v2/user/:user/webhook/:webhook", fresh: (*matrix).newWebhook, want: ownUserNoBody},
	{route: "POST /v2/user/:user/webhook/:webhook/test", want: ownUser},
	{route: "POST /v2/user/:user/webhook/:webhook/rotate", sent: sent(fields{"grace": 0}), want: ownUser},
}
