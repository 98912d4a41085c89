package deploy

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"signet/internal/promtest"
)

// grafanaBoard is what these tests read of a board.
type grafanaBoard struct {
	UID, Title, Description string
	ID                      *int // of one installation: a file that is imported has none
	Templating              struct {
		List []struct{ Name, Type string }
	}
	Panels []grafanaPanel
}

type grafanaPanel struct {
	ID          int
	Type, Title string
	Description string
	Datasource  struct{ UID string }
	Targets     []struct {
		Datasource struct{ UID string }
	}
	FieldConfig struct {
		Defaults struct{ Unit string }
	}
	GridPos struct{ X, Y, W, H int }
}

// Each board can be imported by Grafana's own types, asks the data source that whoever looks
// chooses, and says of each panel what it shows, and in which unit.
func TestBoardsCanBeImported(t *testing.T) {
	files, err := filepath.Glob("grafana/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no boards: %v", err)
	}
	e := promtest.Start(t)
	known := map[string]string{}
	for _, file := range files {
		if err := e.ReadBoard(file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		var b grafanaBoard
		if err := json.Unmarshal([]byte(mustRead(t, file)), &b); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, name := range []string{b.UID, b.Title} {
			if known[name] != "" || name == "" {
				t.Errorf("%s and %s have the same name %q", file, known[name], name)
			}
			known[name] = file
		}
		if b.UID+".json" != filepath.Base(file) || b.Description == "" || b.ID != nil {
			t.Errorf("%s: its uid is %s, its id %v, its description %q", file, b.UID, b.ID, b.Description)
		}
		if v := b.Templating.List; len(v) != 4 || v[0].Type != "datasource" || v[0].Name != "datasource" {
			t.Errorf("%s: its variables are %+v", file, v)
		}
		wantClearPanels(t, file, b.Panels)
	}
}

// wantClearPanels checks that panels explain themselves, and do not cover each other.
func wantClearPanels(t *testing.T, file string, panels []grafanaPanel) {
	t.Helper()
	for i, p := range panels {
		if p.ID != i+1 || p.Title == "" {
			t.Errorf("%s: panel %d has the id %d and the title %q", file, i+1, p.ID, p.Title)
		}
		at := p.GridPos
		if at.X < 0 || at.X+at.W > 24 || at.W == 0 || at.H == 0 {
			t.Errorf("%s: %s is placed at %+v", file, p.Title, at)
		}
		for _, q := range panels[:i] {
			with := q.GridPos
			if at.X < with.X+with.W && with.X < at.X+at.W && at.Y < with.Y+with.H && with.Y < at.Y+at.H {
				t.Errorf("%s: %s covers %s", file, p.Title, q.Title)
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || p.Datasource.UID != "${datasource}" ||
			len(p.Targets) == 0 {
			t.Errorf("%s: %s lacks a description, a unit, a query or the chosen data source: %+v", file, p.Title, p)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" {
				t.Errorf("%s: %s asks %q", file, p.Title, target.Datasource.UID)
			}
		}
	}
}
