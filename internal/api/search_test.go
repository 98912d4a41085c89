package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// searched is an organization with somebody who looks, and what there is to find.
type searched struct {
	s           *server
	org         string
	me          *person
	bob, robert string // tokens
	group       string
}

func startSearched(t *testing.T) searched {
	t.Helper()
	s := start(t)
	org := s.mustCreateOrganization("Clinic")
	f := searched{s: s, org: org, me: s.mustCreate(org, "zoe")}
	create := func(user fields) string {
		return s.operator.post("/v2/user", user, in(org)).reply().text("token")
	}
	f.bob = create(fields{"username": "bob", "first_name": "Bob", "last_name": "Brown", "title": "Nurse",
		"department": "Ward 7"})
	f.robert = create(fields{"username": "rob", "first_name": "Robert", "last_name": "Bélanger", "title": "Physician",
		"department": "Ward 7"})
	f.group = f.me.mustCreateGroup("Board")
	f.me.post("/v2/metadata/"+f.group, fields{"feature_service": "role"}, in(org)).want(204)
	return f
}

// names are the display names of the results, in their order.
func (f *searched) names(found value) []string {
	names := []string{}
	for _, result := range found.list("results") {
		names = append(names, result.text("entity", "display_name"))
	}
	return names
}

func (f *searched) wantNames(t *testing.T, a *answer, want ...string) {
	t.Helper()
	found := a.reply()
	if got := f.names(found); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if total := found.int("metadata", "total_hits"); total != int64(len(want)) {
		t.Errorf("total_hits is %d, want %d", total, len(want))
	}
}

func TestSearchAnswersWithWholeEntities(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	found := f.me.post("/v2/search",
		fields{"bool": fields{"must": fields{"display_name": "bo"}}, "render_metadata": true}).reply()
	found.at("metadata").wantIs(map[string]any{"total_hits": 2, "first_hit": 0})
	results := found.list("results")
	if len(results) != 2 {
		t.Fatalf("got %s", found)
	}
	group := f.me.get("/v2/group/" + f.group).reply().v.(map[string]any)
	group["metadata"] = map[string]any{"feature_service": "role"}
	bob := f.me.get("/v2/user/"+f.bob, in(f.org)).reply().v.(map[string]any)
	bob["metadata"] = map[string]any{}
	results[0].wantIs(map[string]any{"type": "tigertext:entity:group", "organization_id": f.org, "entity": group})
	results[1].wantIs(map[string]any{"type": "tigertext:entity:account", "organization_id": f.org, "entity": bob})
	for _, plain := range f.me.post("/v2/search", fields{}).reply().list("results") {
		plain.at("entity").wantFields(nil, "metadata")
	}
}

func TestSearchTakesCriteriaInAllShapes(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	const bob, robert, board = "Bob Brown", "Robert Bélanger", "Board"
	for name, test := range map[string]struct {
		sent option
		want []string
	}{
		"must as an object": {jsonBody(fields{"bool": fields{"must": fields{"last_name": "b", "title": "phys"}}}),
			[]string{robert}},
		"must as a list": {
			jsonBody(fields{"bool": fields{"must": []fields{{"last_name": "b"}, {"title": "phys"}}}}), []string{robert}},
		"must as a list of many": {
			jsonBody(fields{"bool": fields{"must": []fields{{"last_name": "b", "title": "phys"}, {}}}}), []string{robert}},
		"fields of the request": {jsonBody(fields{"last_name": "b", "title": "phys"}), []string{robert}},
		"both": {jsonBody(fields{"last_name": "b",
			"bool": fields{"must": fields{"title": "nurse"}}}), []string{bob}},
		"must not as an object": {jsonBody(fields{"last_name": "b",
			"bool": fields{"must_not": fields{"title": "nurse"}}}), []string{robert}},
		"must not as a list": {jsonBody(fields{"any": "b",
			"bool": fields{"must_not": []fields{{"title": "nurse"}, {"name": "board"}}}}), []string{robert}},
		"a comma list": {jsonBody(fields{"bool": fields{"must": fields{"title, last_name ,name": "b"}}}),
			[]string{board, bob, robert}},
		"a comma list beside bool": {jsonBody(fields{"title,last_name": "bel"}), []string{robert}},
		"any": {jsonBody(fields{"bool": fields{"must": fields{"any": "b"}}}),
			[]string{board, bob, robert}},
		"accents and case": {jsonBody(fields{"bool": fields{"must": fields{"display_name": "BELANGÉR"}}}),
			[]string{robert}},
		"a token": {jsonBody(fields{"bool": fields{"must": fields{"token": f.bob}}}), []string{bob}},
		"camelCase": {jsonBody(fields{"bool": fields{"must": fields{"lastName": "b"}}}),
			[]string{bob, robert}},
		"nulls": {jsonBody(fields{"any": "b", "title": nil, "sort": nil, "page_size": nil,
			"continuation": nil}), []string{board, bob, robert}},
		"no bool": {jsonBody(fields{"any": "b", "bool": nil}), []string{board, bob, robert}},
		"an unknown field beside bool": {jsonBody(fields{"nickname": "b", "type": "account", "title": "nurse"}),
			[]string{bob}},
		"an unknown field in must": {jsonBody(fields{"bool": fields{"must": fields{"nickname": "b"}}}), []string{}},
		"an unknown field in must not": {jsonBody(fields{"title": "nurse",
			"bool": fields{"must_not": fields{"nickname": "b"}, "should": 7}}), []string{bob}},
		"a form": {form("type", "account,group", "display_name", "bo", "page_size", "10",
			"include_disabled", "1"), []string{board, bob}},
		"a form with bool": {form("type", "account", "type", "group", "bool",
			`{"must":[{"any":"b"}],"must_not":{"title":"nurse"}}`), []string{board, robert}},
		"parts": {parts(map[string]string{"type": "account", "bool": `{"must":{"any":"b"}}`,
			"sort": "-displayName"}), []string{robert, bob}},
		"what a published client sends": {jsonBody(fields{"type": []string{"account", "group"}, "include_disabled": false,
			"directory": []string{f.org}, "results_format": "entities", "sort": []string{"displayName"},
			"bool": fields{"must": fields{"display_name": "bo"}}}), []string{board, bob}},
	} {
		t.Run(name, func(t *testing.T) {
			f.wantNames(t, f.me.do("POST", "/v2/search", test.sent), test.want...)
		})
	}
}

func TestSearchRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	for _, test := range []struct {
		sent  fields
		code  string
		field string
	}{
		{fields{"page_size": 0}, "field_invalid", "page_size"},
		{fields{"page_size": 201}, "field_invalid", "page_size"},
		{fields{"page_size": "many"}, "field_invalid", "page_size"},
		{fields{"results_format": "names"}, "field_invalid", "results_format"},
		{fields{"include_total": "perhaps"}, "field_invalid", "include_total"},
		{fields{"include_disabled": 7}, "field_invalid", "include_disabled"},
		{fields{"render_metadata": "x"}, "field_invalid", "render_metadata"},
		{fields{"display_name": 7}, "field_invalid", "display_name"},
		{fields{"bool": "must"}, "field_invalid", "bool"},
		{fields{"bool": []string{}}, "field_invalid", "bool"},
		{fields{"bool": fields{"must": "bo"}}, "field_invalid", "bool"},
		{fields{"bool": fields{"must": fields{"any": 7}}}, "field_invalid", "bool"},
		{fields{"bool": fields{"must": []any{[]string{"any"}}}}, "field_invalid", "bool"},
		{fields{"bool": fields{"must_not": fields{"any": []string{"bo"}}}}, "field_invalid", "bool"},
		{fields{"sort": []string{"nickname"}}, "sort_invalid", "sort"},
		{fields{"sort": "displayName,-x"}, "sort_invalid", "sort"},
		{fields{"sort": 7}, "field_invalid", "sort"},
		{fields{"type": 7}, "field_invalid", "type"},
		{fields{"continuation": "x"}, "continuation_invalid", "continuation"},
		{fields{"continuation": 7}, "field_invalid", "continuation"},
	} {
		f.me.post("/v2/search", test.sent).wantError(400, test.code).wantField(test.field)
	}
	f.me.do("POST", "/v2/search", form("bool", "{")).wantError(400, "body_invalid").wantField("bool")
	f.s.anyone().post("/v2/search", fields{}).wantError(401, "credentials_missing")
}

func TestSearchShowsOnlyTheFieldsAskedFor(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	results := f.me.post("/v2/search",
		fields{"any": "b", "sort": []string{"-display_name"},
			"return_fields": []string{"display_name", "members", "title", "nonsense"}}).reply().list("results")
	if len(results) != 3 {
		t.Fatalf("got %v", results)
	}
	results[0].at("entity").wantIs(map[string]any{"token": f.robert, "display_name": "Robert Bélanger",
		"title": "Physician"})
	results[2].at("entity").wantIs(map[string]any{"token": f.group, "display_name": "Board",
		"members": []string{f.me.token}})
	rendered := f.me.post("/v2/search", fields{"name": "board", "return_fields": "name", "render_metadata": true}).reply()
	rendered.at("results", 0,
		"entity").wantIs(map[string]any{"token": f.group, "name": "Board",
		"metadata": map[string]any{"feature_service": "role"}})
	f.me.post("/v2/search", fields{"name": "board", "return_fields": []string{}}).reply().at("results", 0,
		"entity").wantIs(map[string]any{"token": f.group})

	tokens := f.me.post("/v2/search", fields{"any": "b", "results_format": "tokens"}).reply()
	tokens.at("results").wantIs([]string{f.group, f.bob, f.robert})
	f.me.post("/v2/search", fields{"any": "q", "results_format": "tokens"}).reply().at("results").wantIs([]string{})
}

func TestSearchGoesOnFromPageToPage(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	query := fields{"type": []string{"account", "group"}, "any": "b", "page_size": 1, "results_format": "entities"}
	var got []string
	for page := 0; ; page++ {
		found := f.me.post("/v2/search", query).reply()
		got = append(got, f.names(found)...)
		metadata := found.at("metadata")
		metadata.wantFields(fields{"total_hits": 3, "first_hit": page})
		if !metadata.has("continuation") {
			break
		}
		query["continuation"] = metadata.text("continuation")
	}
	if want := []string{"Board", "Bob Brown", "Robert Bélanger"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	other := fields{"any": "bo", "continuation": query["continuation"]}
	f.me.post("/v2/search", other).wantError(400, "continuation_invalid").wantField("continuation")
	colleague := f.s.mustCreate(f.org, "yves")
	colleague.post("/v2/search", query).wantError(400, "continuation_invalid")
	query["continuation"] = ""
	f.me.post("/v2/search", query).reply().at("metadata").wantFields(fields{"first_hit": 0})

	// The members of an object have no order: the same question may be asked in another one.
	asked := func(continuation string, criteria ...string) value {
		text := `{` + strings.Join(criteria, ",") + `,"page_size":1` + continuation + `}`
		return f.me.do("POST", "/v2/search", body("application/json", strings.NewReader(text))).reply().at("metadata")
	}
	first := asked("", `"any":"b"`, `"first_name":"b"`, `"type":["account"]`)
	first.wantFields(fields{"total_hits": 1})
	first = asked("", `"any":"b"`, `"display_name":"b"`)
	asked(`,"continuation":"`+first.text("continuation")+`"`, `"display_name":"b"`, `"any":"b"`).
		wantFields(fields{"first_hit": 1})
}

func TestSearchStaysInTheCallersOrganizations(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	abroad := f.s.mustCreateOrganization("Abroad")
	stranger := f.s.mustCreate(abroad, "bobette")
	stranger.mustCreateGroupAs(fields{"name": "Boats", "is_public": true})
	f.wantNames(t, f.me.post("/v2/search", fields{"any": "bo"}), "Board", "Bob Brown")
	f.wantNames(t, f.me.post("/v2/search", fields{"token": stranger.token}))
	refused := f.me.post("/v2/search", fields{"directory": []string{abroad}}).wantError(403,
		"not_member").wantField("directory")
	unknown := f.me.post("/v2/search", fields{"directory": randomOrganization()}).wantError(403, "not_member")
	if withoutID(refused) != withoutID(unknown) {
		t.Errorf("%s is told from %s", refused.content, unknown.content)
	}
	f.wantNames(t, f.s.mustCreate(f.org, "yan").post("/v2/search", fields{"any": "bo"}), "Bob Brown")
	f.wantNames(t, f.me.post("/v2/search", fields{"any": "bo", "directory": f.org}, in(abroad)), "Board", "Bob Brown")
}

// withoutID is an error's body without what differs from call to call.
func withoutID(a *answer) string {
	return strings.ReplaceAll(string(a.content), a.Header.Get("Request-Id"), "")
}

// A name from a query is no criterion: the criteria are in the body.
func TestSearchTakesNoCriteriaFromTheQuery(t *testing.T) {
	t.Parallel()
	f := startSearched(t)
	f.wantNames(t, f.me.post("/v2/search?"+url.Values{"any": {"q"}}.Encode(), fields{"title": "nurse"}), "Bob Brown")
}
