package app

import "net/url"

// noWebhook asks for a webhook that does not exist.
func (v *aviary) noWebhook(said fields) letter {
	return letter{who: v.alice, path: params{"user": v.alice.email, "webhook": v.group}, fields: said, want: 404}
}

// noAlert is a notification that is none.
func (v *aviary) noAlert() letter {
	return letter{who: v.alice, query: url.Values{"recipient": {v.bob.email}}, want: 400,
		fields: fields{"alerts": v.word(ofContent, "alert")}}
}

// noProvider is about the provider of identities of an organization that has none.
func (v *aviary) noProvider(said fields) letter {
	return letter{who: v.operator, path: params{"organization": v.organization}, fields: said, want: 404}
}
