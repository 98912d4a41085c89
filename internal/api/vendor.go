package api

import "net/textproto"

// vendor holds the names that published clients have built in: the headers in
// the spelling of the contract, and what starts every type.
type vendor struct {
	namespace string
	prefix    string // TT-X-

	organizationField string // organizationKey as net/http keeps a request's headers

	organizationKey string // TT-X-Organization-Key, and so on
	features        string
	entityType      string
	messageID       string
	messageTTL      string
	groupToken      string
	groupAvatar     string
	continuation    string
}

func newVendor(prefix, namespace string) vendor {
	prefix += "-X-"
	return vendor{
		namespace:         namespace,
		prefix:            prefix,
		organizationField: textproto.CanonicalMIMEHeaderKey(prefix + "Organization-Key"),
		organizationKey:   prefix + "Organization-Key",
		features:          prefix + "Features",
		entityType:        prefix + "Type",
		messageID:         prefix + "Message-Id",
		messageTTL:        prefix + "Msg-Ttl",
		groupToken:        prefix + "Group-Token",
		groupAvatar:       prefix + "Group-Avatar",
		continuation:      prefix + "Continuation",
	}
}
