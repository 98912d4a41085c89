package api

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/search"
	"signet/internal/service"
)

// The size of a page of results (contract, section 5.2).
const (
	defaultPageSize = 50
	maxPageSize     = 200
)

// search: POST /search (call 24).
func (a *API) search(ctx context.Context, c *call) (answer, error) {
	command, shown := c.searchCommand()
	if err := c.err(); err != nil {
		return answer{}, err
	}
	found, err := a.service.Search(ctx, c.actor, command)
	if err != nil {
		return answer{}, err
	}
	a.charge(c, costOfSearch(len(command.Must)+len(command.MustNot), len(found.Hits)))
	if command.TokensOnly {
		return reply(wire.FoundTokensText(&found)), nil
	}
	return reply(c.FoundText(&found, shown)), nil
}

// searchCommand reads what is looked for, and which fields of it are shown: nil
// for all of them.
func (c *call) searchCommand() (command service.SearchCommand, shown map[string]bool) {
	f := &c.body.Fields
	command.Query = search.Query{
		Types:        f.List("type"),
		PageSize:     f.IntBetween("page_size", 1, maxPageSize, defaultPageSize),
		Continuation: f.Text("continuation"),
		IncludeTotal: f.Bool("include_total"),
		Disabled:     f.Bool("include_disabled"),
	}
	command.RenderMetadata = f.Bool("render_metadata") || c.rendersMetadata()
	for _, token := range f.List("directory") {
		command.Directory = append(command.Directory, model.OrganizationID(token))
	}
	for _, name := range f.List("sort") {
		command.Sort = append(command.Sort, input.SnakeCase(name))
	}
	switch format := f.Text("results_format"); format {
	case "", "entities":
	case "tokens":
		command.TokensOnly = true
	default:
		f.Wrong("results_format", "entities or tokens")
	}
	if names := f.List("return_fields"); names != nil {
		shown = map[string]bool{"token": true, "metadata": true}
		for _, name := range names {
			shown[name] = true
		}
	}
	c.readCriteria(&command)
	return command, shown
}

// readCriteria reads the conditions, in all of their shapes: `bool` with an
// object or a list of objects, and fields of the request itself. In `bool`, a name
// that is no search field is a field in which nothing is found; beside it, it is
// one of the many fields of a request that are ignored.
func (c *call) readCriteria(command *service.SearchCommand) {
	f := &c.body.Fields
	for _, name := range slices.Sorted(slices.Values(f.Names())) { // a continuation is of no order in which they come
		if fields := searchFields(name); fields != nil {
			command.Must = append(command.Must, search.Criterion{Fields: fields, Text: f.Text(name)})
		}
	}
	const want = "an object whose must and must_not are objects of texts, or lists of them"
	var combined map[string]json.RawMessage
	if !f.Decode("bool", &combined, want) {
		return
	}
	must, ok := criteria(combined["must"])
	mustNot, okNot := criteria(combined["must_not"])
	if !ok || !okNot {
		f.Wrong("bool", want)
	}
	command.Must, command.MustNot = append(command.Must, must...), mustNot
}

// criteria reads {FIELD: TEXT} or a list of these. A null is as good as absent.
func criteria(raw json.RawMessage) (out []search.Criterion, ok bool) {
	if len(raw) == 0 {
		return nil, true
	}
	var objects []map[string]*string
	if raw[0] == '[' {
		if json.Unmarshal(raw, &objects) != nil {
			return nil, false
		}
	} else {
		var object map[string]*string
		if json.Unmarshal(raw, &object) != nil {
			return nil, false
		}
		objects = append(objects, object)
	}
	for _, object := range objects {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if text := object[name]; text != nil {
				out = append(out, search.Criterion{Fields: splitFields(name), Text: *text})
			}
		}
	}
	return out, true
}

// searchFields returns the fields that a name stands for, or nil where none of
// them is one of the search.
func searchFields(name string) []string {
	fields := splitFields(name)
	for _, field := range fields {
		if search.IsField(field) {
			return fields
		}
	}
	return nil
}

func splitFields(name string) []string {
	fields := input.SplitList(name)
	for i, field := range fields {
		fields[i] = input.SnakeCase(field)
	}
	return fields
}
