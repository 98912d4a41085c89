package app

// forgedAnswer is what no authenticator answers.
func (v *aviary) forgedAnswer() fields {
	return fields{"credential": fields{"id": v.word(ofContent, "credential"), "type": "public-key"},
		"label": v.word(ofContent, "label")}
}

func (v *aviary) passkeyOf(p *caged) params { return params{"user": p.email, "passkey": v.group} }
