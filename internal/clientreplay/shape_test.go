package clientreplay

import "strings"

// The objects that the clients read, with every field that they have.

const someTime = `"2026-11-21T08:15:30.123Z"`

const aliceShape = `{"token":"<alice>","xmlns":"tigertext:entity:account","display_name":"Alice Ames","first_name":"Alice","last_name":"Ames",
	"username":"alice","avatar":"","status":"","dnd":false,"dnd_text":"","emails":[{"address":"alice@example.com","verified":false}],
	"phones":[{"number":"+14155550101","verified":false}],"created_time":` + someTime +
	`,"title":"Nurse","department":"Surgery",
	"organization_key":"<org>","organization_token":"<org>"}`

const bobShape = `{"token":"<bob>","xmlns":"tigertext:entity:account","display_name":"Bob Brown","first_name":"Bob","last_name":"Brown",
	"username":"bob","avatar":"","status":"","dnd":false,"dnd_text":"","emails":[{"address":"bob@example.com","verified":false}],
	"phones":[{"number":"+14155550102","verified":false}],"created_time":` + someTime +
	`,"title":"Surgeon","department":"Surgery",
	"organization_key":"<org>","organization_token":"<org>"}`

const danaShape = `{"token":"<dana>","xmlns":"tigertext:entity:account","display_name":"Dana Drew","first_name":"Dana","last_name":"Drew",
	"username":"dana","avatar":"","status":"","dnd":false,"dnd_text":"","emails":[{"address":"dana@example.com","verified":false}],
	"phones":[],"created_time":` + someTime +
	`,"title":"Administrator","department":"","organization_key":"<org>","organization_token":"<org>"}`

// myShape is the story's own account.
func (s *story) myShape() string {
	switch s.me {
	case s.cast.Dana:
		return danaShape
	case s.cast.Bob:
		return bobShape
	default:
		return aliceShape
	}
}

// with adds members to an object, or replaces those that it has.
func with(object string, members ...string) string {
	object = strings.TrimSuffix(strings.TrimSpace(object), "}")
	for i := 0; i < len(members); i += 2 {
		name, value := `"`+members[i]+`":`, members[i+1]
		if at := strings.Index(object, name); at >= 0 {
			rest := object[at+len(name):]
			object = object[:at] + name + value + rest[valueLength(rest):]
			continue
		}
		object += "," + name + value
	}
	return object + "}"
}

// valueLength is how long the plain value at the beginning of a text is.
func valueLength(text string) int {
	if n := strings.IndexAny(text, ",}\n"); n >= 0 {
		return n
	}
	return len(text)
}

const orgShape = `{"token":"<org>","name":"General Hospital","members":4,"ttl":43200,"dor":false,"pending":false,"paid":true,"settings":[
	{"name":"ttl","value":43200},{"name":"dor","value":false},{"name":"forward","value":true},{"name":"priority_messaging","value":true},
	{"name":"allow_public_groups","value":true},{"name":"attachments","value":true}]}`

// messageShape is a message of text only, in the organization of the story.
func messageShape(id, sender, recipient, body string) string {
	return `{"message_id":"<` + id + `>","client_id":"<` + id + `>","sender_token":"<` + sender +
		`>","sender_organization":"<org>",
		"recipient_token":"<` + recipient + `>","recipient_organization":"<org>","body":` + quote(body) + `,"created_time":` +
		someTime + `,
		"expires_time":` + someTime +
		`,"ttl":43200,"dor":false,"status":"New","priority":0,"sort_number":1,"attachments":[],"data":[]}`
}

// groupShape is a group of the story's account and others.
func groupShape(name, members string, n string) string {
	return `{"token":"<grp>","xmlns":"tigertext:entity:group","name":"` + name + `","display_name":"` + name +
		`","description":"","avatar":"",
		"organization_key":"<org>","members":` + members + `,"num_members":` + n + `,"created_by":"<me>","created_time":` +
		someTime + `,
		"replay_history":true,"is_public":false}`
}

// goneShape is what is left to see of a group that was deleted.
const goneShape = `{"token":"<grp>","xmlns":"tigertext:entity:group","name":"G2","display_name":"G2","description":"","avatar":"",
	"organization_key":"<org>","members":[],"num_members":0,"replay_history":false,"is_public":false}`

// statusShape is the answer about a message's status, with the row of one
// recipient.
func statusShape(id, recipient, status string) string {
	return `{"client_id":"<` + id + `>","is_recalled":false,"statuses":[{"account_id":"<` + recipient + `>","status":"` +
		status + `","timestamp":` + someTime + `}]}`
}

// attached is the attachment of the recorded multipart bodies, as a message
// shows it.
const attached = `[{"attachment_id":1,"name":"a.png","content-type":"image/png","size":13}]`

// friend is the payload of a friends event.
func friend(action, entity string) string {
	return `{"friend":` + with(entity, "action", `"`+action+`"`, "organization_id", `"<org>"`) + `}`
}
