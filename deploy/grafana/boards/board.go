package main

import "strings"

// board is one board.
type board struct {
	uid, title, about string
	rows              []row
}

// row is a heading with the panels below it.
type row struct {
	title  string
	panels []panel
}

// panel is one picture.
type panel struct {
	title, about string
	unit         string // one of Grafana's
	queries      []query
	look         look
	width        int // of 24 columns; 0: as it suits the look
}

// look is how a panel looks.
type look int

const (
	curves look = iota
	number      // the last value, large
	lines       // the last values, a line of a table each
	lamp        // number that is green at 1 and red at 0
	alarm       // number that is green at 0 and red above
)

// query is an expression, and what its series are called. In the expression @ stands for the choice of
// the installation and its servers.
type query struct{ expression, legend string }

// installation is the choice of an installation, which is a job and, in Kubernetes, its namespace.
const installation = `job="$job", namespace=~"$namespace"`

// selection is what @ stands for.
const selection = installation + `, instance=~"$instance"`

// one is the queries of a panel that has one.
func one(expression, legend string) []query { return []query{{expression, legend}} }

// object is one of JSON.
type object map[string]any

// source is the data source that whoever looks has chosen.
var source = object{"type": "prometheus", "uid": "${datasource}"}

// dashboard is the board as Grafana reads it.
func (b *board) dashboard() object {
	return object{
		"uid": b.uid, "title": b.title, "description": b.about, "tags": []string{"signet"}, "editable": true,
		"schemaVersion": 39, "version": 1, "graphTooltip": 1, "timezone": "browser", "refresh": "30s",
		"time":        object{"from": "now-6h", "to": "now"},
		"annotations": object{"list": []any{}},
		"links": []object{{"title": "Signet", "type": "dashboards", "tags": []string{"signet"}, "asDropdown": true,
			"includeVars": true, "keepTime": true, "icon": "external link", "tooltip": "", "url": "", "targetBlank": false}},
		"templating": object{"list": []object{
			{"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus", "hide": 0,
				"includeAll": false, "multi": false, "refresh": 1, "regex": ""},
			choice("job", "Installation", `label_values(signet_build_info, job)`, false),
			choice("namespace", "Namespace", `label_values(signet_build_info{job="$job"}, namespace)`, true),
			choice("instance", "Server", `label_values(signet_build_info{`+installation+`}, instance)`, true),
		}},
		"panels": b.panels(),
	}
}

// choice is a variable whose values are those of a label.
func choice(name, label, values string, several bool) object {
	v := object{"type": "query", "name": name, "label": label, "datasource": source, "definition": values, "hide": 0,
		"query": object{"query": values, "refId": name}, "refresh": 2, "sort": 1, "regex": "", "includeAll": several,
		"multi": several}
	if several {
		v["allValue"] = ".*" // which takes series without the label too
		v["current"] = object{"text": []string{"All"}, "value": []string{"$__all"}}
	}
	return v
}

// columns is how wide a board is.
const columns = 24

// panels places all panels below each other, row by row.
func (b *board) panels() (out []object) {
	x, y, tallest := 0, 0, 0
	place := func(p object, width, height int) {
		if x+width > columns {
			x, y, tallest = 0, y+tallest, 0
		}
		p["id"] = len(out) + 1
		p["gridPos"] = object{"x": x, "y": y, "w": width, "h": height}
		x, tallest = x+width, max(tallest, height)
		out = append(out, p)
	}
	for _, r := range b.rows {
		x, y, tallest = 0, y+tallest, 0
		place(object{"type": "row", "title": r.title, "collapsed": false, "panels": []any{}}, columns, 1)
		for i := range r.panels {
			p := &r.panels[i]
			width, height := p.size()
			place(p.object(), width, height)
		}
	}
	return out
}

// size is how many columns a panel takes, and how high it is.
func (p *panel) size() (width, height int) {
	switch p.look {
	case number, lamp, alarm:
		width, height = 4, 4
	default:
		width, height = 12, 8
	}
	if p.width > 0 {
		width = p.width
	}
	return width, height
}

// object is the panel as Grafana reads it, without its place.
func (p *panel) object() object {
	defaults := object{"unit": p.unit, "custom": object{}}
	out := object{"title": p.title, "description": p.about, "datasource": source, "targets": p.targets(),
		"fieldConfig": object{"defaults": defaults, "overrides": []any{}}}
	reduced := object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
	switch p.look {
	case curves:
		out["type"] = "timeseries"
		defaults["custom"] = object{"drawStyle": "line", "lineWidth": 1, "fillOpacity": 10, "showPoints": "never",
			"spanNulls": false, "axisSoftMin": 0}
		out["options"] = object{
			"legend":  object{"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []string{}},
			"tooltip": object{"mode": "multi", "sort": "desc"}}
	case lines:
		out["type"] = "table"
		defaults["custom"] = object{"align": "auto", "inspect": false}
		out["options"] = object{"showHeader": true, "frameIndex": 0}
		out["transformations"] = []object{{"id": "merge", "options": object{}}, {"id": "organize", "options": object{
			"excludeByName": object{"Time": true, "Value": true, "__name__": true, "job": true}}}}
	default:
		out["type"] = "stat"
		delete(defaults, "custom")
		defaults["thresholds"] = p.thresholds()
		out["options"] = object{"reduceOptions": reduced, "colorMode": "value", "graphMode": "none", "textMode": "auto",
			"justifyMode": "auto", "orientation": "auto", "wideLayout": true, "showPercentChange": false,
			"percentChangeColorMode": "standard"}
	}
	return out
}

// thresholds are where a number changes its color.
func (p *panel) thresholds() object {
	steps := []object{{"color": "text", "value": nil}}
	switch p.look {
	case lamp:
		steps = []object{{"color": "red", "value": nil}, {"color": "green", "value": 1}}
	case alarm:
		steps = []object{{"color": "green", "value": nil}, {"color": "red", "value": 0.000001}}
	}
	return object{"mode": "absolute", "steps": steps}
}

// targets are the queries of a panel as Grafana reads them.
func (p *panel) targets() (out []object) {
	for i, q := range p.queries {
		t := object{"refId": string(rune('A' + i)), "datasource": source, "legendFormat": q.legend,
			"expr": strings.ReplaceAll(q.expression, "@", selection), "range": p.look == curves,
			"instant": p.look != curves, "editorMode": "code"}
		if p.look == lines {
			t["format"] = "table"
		}
		out = append(out, t)
	}
	return out
}
