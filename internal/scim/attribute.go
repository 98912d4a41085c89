package scim

import "strings"

// The identifiers of schemas and messages.
const (
	UserSchema       = "urn:ietf:params:scim:schemas:core:2.0:User"
	EnterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
	GroupSchema      = "urn:ietf:params:scim:schemas:core:2.0:Group"

	ListMessage   = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	PatchMessage  = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
	SearchMessage = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"
	ErrorMessage  = "urn:ietf:params:scim:api:messages:2.0:Error"
)

// kind is what the values of an attribute are (RFC 7643, section 2.3).
type kind string

const (
	text      kind = "string"
	yesOrNo   kind = "boolean"
	complexes kind = "complex"
	moment    kind = "dateTime"
	reference kind = "reference"
)

// attribute is one that a resource has, or a part of one.
type attribute struct {
	name       string
	kind       kind
	says       string // what it is, for people
	multi      bool
	required   bool
	exact      bool // upper and lower case differ
	readOnly   bool
	fixed      bool     // once it is there
	unique     bool     // on the server
	words      []string // that are usual
	references []string // what kinds of resources it refers to
	parts      []attribute
	unlisted   bool // it belongs to every resource, and is in no schema
}

// Kind is a kind of resources: people, or groups.
type Kind struct {
	Name, Plural, Says string
	Schema             string
	attributes         []attribute
	extension          string // its schema; empty: there is none
	extended           []attribute
}

// every resource has these (RFC 7643, section 3.1).
var every = []attribute{
	{name: "schemas", kind: text, multi: true, exact: true, readOnly: true, unlisted: true},
	{name: "id", kind: text, exact: true, readOnly: true, unlisted: true},
	{name: "externalId", kind: text, exact: true, unlisted: true},
	{name: "meta", kind: complexes, readOnly: true, unlisted: true, parts: []attribute{
		{name: "resourceType", kind: text, exact: true, readOnly: true},
		{name: "created", kind: moment, readOnly: true},
		{name: "location", kind: reference, exact: true, readOnly: true},
		{name: "version", kind: text, exact: true, readOnly: true},
	}},
}

// addressParts are those of an e-mail address, or of a phone number.
func addressParts(says string, words ...string) []attribute {
	return []attribute{
		{name: "value", kind: text, says: says},
		{name: "type", kind: text, says: "What it is for.", words: words},
		{name: "primary", kind: yesOrNo, says: "It comes first."},
	}
}

// People is the kind of people.
var People = &Kind{
	Name: "User", Plural: "Users", Says: "A person of the organization.", Schema: UserSchema,
	attributes: append([]attribute{
		{name: "userName", kind: text, required: true, unique: true,
			says: "What the directory calls the person. One that is a user name here signs in with it."},
		{name: "name", kind: complexes, says: "The parts of the name.", parts: []attribute{
			{name: "formatted", kind: text, says: "The given name and the family name.", readOnly: true},
			{name: "familyName", kind: text, says: "The family name."},
			{name: "givenName", kind: text, says: "The given name."},
		}},
		{name: "displayName", kind: text, says: "The name that others see."},
		{name: "title", kind: text, says: "What the person is in the organization."},
		{name: "active", kind: yesOrNo,
			says: "Without it the account is disabled, and its keys, sessions and streams have ended."},
		{name: "emails", kind: complexes, multi: true, says: "E-mail addresses. Each is of one account only.",
			parts: addressParts("The address.", "work", "home", "other")},
		{name: "phoneNumbers", kind: complexes, multi: true,
			says: "Phone numbers. One that another account has, or that cannot exist, is left out.", parts: addressParts(
				"The number, in E.164 once it is kept.", "work", "home", "mobile", "other")},
	}, every...),
	extension: EnterpriseSchema,
	extended: []attribute{
		{name: "department", kind: text, says: "Where the person is in the organization."},
	},
}

// Groups is the kind of groups.
var Groups = &Kind{
	Name: "Group", Plural: "Groups", Says: "A group to write to.", Schema: GroupSchema,
	attributes: append([]attribute{
		{name: "displayName", kind: text, required: true, says: "The name. No two groups of a directory have one."},
		{name: "members", kind: complexes, multi: true, says: "People of the organization.", parts: []attribute{
			{name: "value", kind: text, exact: true, fixed: true, says: "The id of the person."},
			{name: "$ref", kind: reference, exact: true, fixed: true, references: []string{"User"},
				says: "Where the person is."},
			{name: "display", kind: text, readOnly: true, says: "The name of the person."},
			{name: "type", kind: text, fixed: true, words: []string{"User"}, says: "Always User."},
		}},
	}, every...),
}

// find returns the attribute of a name, whatever its case; nil: it is not kept.
func find(among []attribute, name string) *attribute {
	for i := range among {
		if strings.EqualFold(among[i].name, name) {
			return &among[i]
		}
	}
	return nil
}

// place is where in a resource something is.
type place struct {
	extension string     // the schema of the extension that it is in; empty: it is of the core
	attribute *attribute // nil: the extension as a whole
	part      *attribute // nil: the attribute as a whole
	unknown   bool       // it names what is not kept here
}

// leaf is the attribute that has the value.
func (p *place) leaf() *attribute {
	if p.part != nil {
		return p.part
	}
	return p.attribute
}

// locate finds what a name means: an attribute with its part (`name.familyName`), either after the
// identifier of its schema, or an identifier alone. good is false where it is no name at all.
func (k *Kind) locate(name string) (p place, good bool) {
	among := k.attributes
	if len(name) >= 4 && strings.EqualFold(name[:4], "urn:") {
		rest, schema, known := k.afterSchema(name)
		switch {
		case !known:
			return place{unknown: true}, isName(name[4:])
		case rest == "" && schema == k.extension && schema != "":
			return place{extension: schema}, true
		case rest == "":
			return place{unknown: true}, true
		}
		if name = rest; schema == k.extension {
			p.extension, among = schema, k.extended
		}
	}
	first, second, parted := strings.Cut(name, ".")
	if !isName(first) || parted && !isName(second) {
		return p, false
	}
	if p.attribute = find(among, first); p.attribute == nil {
		return place{unknown: true}, true
	}
	if parted {
		if p.part = find(p.attribute.parts, second); p.part == nil {
			return place{unknown: true}, true
		}
	}
	return p, true
}

// afterSchema returns what follows the identifier of one of the schemas, which a colon ends, or, as some write it,
// a full stop.
func (k *Kind) afterSchema(name string) (rest, schema string, known bool) {
	for _, schema := range []string{k.Schema, k.extension} {
		n := len(schema)
		if n == 0 || len(name) < n || !strings.EqualFold(name[:n], schema) {
			continue
		}
		switch {
		case len(name) == n:
			return "", schema, true
		case name[n] == ':' || name[n] == '.':
			return name[n+1:], schema, true
		}
	}
	return "", "", false
}

// isName reports whether a text can name an attribute: letters, digits, and what some names have besides.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '-', c == '$', c == ':', c == '.':
		default:
			return false
		}
	}
	return s != ""
}
