package scim

// MaxResults is how many resources a page has at most, and DefaultResults unless the request says.
const (
	MaxResults     = 200
	DefaultResults = 100
)

const (
	configSchema  = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
	typeSchema    = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
	schemasSchema = "urn:ietf:params:scim:schemas:core:2.0:Schema"
)

// Kinds are the kinds of resources.
var Kinds = []*Kind{People, Groups}

// Config is what the server can do (RFC 7643, section 5); base is the URL of SCIM, without a slash at its end.
func Config(base string) Object {
	supported := func(yes bool) Object { return Object{"supported": yes} }
	scheme := func(kind, name, says string, primary bool) Object {
		return Object{"type": kind, "name": name, "description": says, "primary": primary}
	}
	return Object{
		"schemas":        []any{configSchema},
		"patch":          supported(true),
		"bulk":           Object{"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
		"filter":         Object{"supported": true, "maxResults": MaxResults},
		"changePassword": supported(false),
		"sort":           supported(false),
		"etag":           supported(true),
		"authenticationSchemes": []any{
			scheme("oauthbearertoken", "Bearer token",
				"base64url(key:secret) of an administrative key whose scope is the organization", true),
			scheme("httpbasic", "HTTP Basic", "The same key and its secret", false),
		},
		"meta": Object{"resourceType": "ServiceProviderConfig", "location": base + "/ServiceProviderConfig"},
	}
}

// Type describes the kind (RFC 7643, section 6).
func (k *Kind) Type(base string) Object {
	o := Object{
		"schemas": []any{typeSchema}, "id": k.Name, "name": k.Name, "description": k.Says,
		"endpoint": "/" + k.Plural, "schema": k.Schema,
		"meta": Object{"resourceType": "ResourceType", "location": base + "/ResourceTypes/" + k.Name},
	}
	if k.extension != "" {
		o["schemaExtensions"] = []any{Object{"schema": k.extension, "required": false}}
	}
	return o
}

// Schemas describes what resources have (RFC 7643, section 7).
func Schemas(base string) (out []Object) {
	for _, k := range Kinds {
		out = append(out, schema(base, k.Schema, k.Name, k.Says, k.attributes))
		if k.extension != "" {
			out = append(out, schema(base, k.extension, "Enterprise"+k.Name, "More of a person.", k.extended))
		}
	}
	return out
}

func schema(base, id, name, says string, attributes []attribute) Object {
	return Object{
		"schemas": []any{schemasSchema}, "id": id, "name": name, "description": says, "attributes": described(attributes),
		"meta": Object{"resourceType": "Schema", "location": base + "/Schemas/" + id},
	}
}

func described(attributes []attribute) []any {
	out := []any{}
	for i := range attributes {
		a := &attributes[i]
		if a.unlisted {
			continue
		}
		o := Object{"name": a.name, "type": string(a.kind), "description": a.says, "multiValued": a.multi,
			"required": a.required, "caseExact": a.exact, "mutability": "readWrite", "returned": "default",
			"uniqueness": "none"}
		switch {
		case a.readOnly:
			o["mutability"] = "readOnly"
		case a.fixed:
			o["mutability"] = "immutable"
		}
		if a.unique {
			o["uniqueness"] = "server"
		}
		if len(a.words) > 0 {
			o["canonicalValues"] = asList(a.words)
		}
		if len(a.references) > 0 {
			o["referenceTypes"] = asList(a.references)
		}
		if len(a.parts) > 0 {
			o["subAttributes"] = described(a.parts)
		}
		out = append(out, o)
	}
	return out
}

func asList(words []string) []any {
	out := make([]any, len(words))
	for i, word := range words {
		out[i] = word
	}
	return out
}
