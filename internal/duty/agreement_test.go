package duty

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signet/internal/model"
	"signet/internal/testenv"
)

// This file compares random rotas around changes of clocks with two models that share nothing with
// them: one that looks at the clock each minute, and one in Python, with its zoneinfo.

// zones are those of Go's copy of the IANA database, each loaded from it: so both models have the same
// ones, whatever the machine has.
type zones struct {
	names []string
	at    map[string]*time.Location
	dir   string // in which they are files, as zoneinfo reads them
}

func loadZones(t *testing.T) *zones {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	z := &zones{at: map[string]*time.Location{}, dir: t.TempDir()}
	for _, file := range archive.File {
		if strings.HasSuffix(file.Name, "/") {
			continue
		}
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := time.LoadLocationFromTZData(file.Name, data)
		if err != nil {
			continue // a file of another kind
		}
		path := filepath.Join(z.dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		z.names, z.at[file.Name] = append(z.names, file.Name), zone
	}
	if len(z.names) < 400 {
		t.Fatalf("only %d zones", len(z.names))
	}
	slices.Sort(z.names)
	return z
}

// span is a rota, and some days of it.
type span struct {
	zone     string
	rota     Rota
	from, to time.Time
}

// random makes a rota that begins up to a month before a change of a zone's clock, or soon after, and the
// days around that.
func (z *zones) random(r *rand.Rand) span {
	s := span{zone: z.names[r.IntN(len(z.names))]}
	s.rota.Zone = z.at[s.zone]
	change := time.Date(2000+r.IntN(60), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
	if _, end := change.In(s.rota.Zone).ZoneBounds(); !end.IsZero() && end.Year() < 2095 {
		change = end.UTC()
	}
	minutes := func(most int) time.Duration { return time.Duration(r.IntN(most)) * time.Minute }
	s.from, s.to = change.Add(-minutes(3*24*60)), change.Add(minutes(3*24*60)+time.Minute)
	accounts := []model.AccountID{ann, bob, eve, joe, {}}
	if r.IntN(10) > 0 {
		start := change.Add(minutes(26*60) - 24*time.Hour)
		if r.IntN(2) == 0 {
			start = change.Add(-minutes(31 * 24 * 60))
		}
		hours := []int{1, 1, 2, 3, 4, 6, 7, 8, 12, 12, 13, 24, 24, 25, 36, 168}
		s.rota.Rotation = Rotation{Start: start, Hours: hours[r.IntN(len(hours))]}
		for range 1 + r.IntN(6) {
			s.rota.Rotation.Accounts = append(s.rota.Rotation.Accounts, accounts[r.IntN(5)])
		}
	}
	for range r.IntN(5) {
		from := change.Add(minutes(5*24*60) - 60*time.Hour)
		s.rota.Overrides = append(s.rota.Overrides, Override{From: from, To: from.Add(time.Minute + minutes(30*60)),
			Account: accounts[r.IntN(5)]})
	}
	return s
}

// stretch is a part of a span as the models tell it: seconds since 1970, a place in accounts, and whether it
// is an override's.
type stretch [4]int64

func number(account model.AccountID) int64 { return int64(account[0]) }

// stretches are a span's shifts, cut off at its ends.
func (s *span) stretches() []stretch {
	out := []stretch{}
	for _, shift := range s.rota.Shifts(s.from, s.to, everybody) {
		override := int64(0)
		if shift.Override {
			override = 1
		}
		out = append(out, stretch{max(shift.From.Unix(), s.from.Unix()), min(shift.To.Unix(), s.to.Unix()),
			number(shift.Account), override})
	}
	return out
}

// walked is the same of somebody who looks at the clock each minute, and remembers the latest hour
// that it has shown.
func (s *span) walked() []stretch {
	out := []stretch{}
	zone, rotation := s.rota.Zone, &s.rota.Rotation
	shows := func(t time.Time) int64 {
		local := t.In(zone)
		return time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0,
			time.UTC).Unix()
	}
	first, latest := shows(rotation.Start), int64(0)
	last := [3]int64{-2, -2, -2}
	for t := s.from.Add(-48 * time.Hour); t.Before(s.to); t = t.Add(time.Minute) {
		latest = max(latest, shows(t))
		if t.Equal(rotation.Start) {
			latest = shows(t)
		}
		by := [3]int64{0, 0, -1} // account, override, turn
		if rotation.Hours > 0 && !t.Before(rotation.Start) {
			n := (latest - first) / int64(rotation.Hours*3600)
			by = [3]int64{number(rotation.Accounts[n%int64(len(rotation.Accounts))]), 0, n}
		}
		for i, o := range s.rota.Overrides {
			if !t.Before(o.From) && t.Before(o.To) {
				by = [3]int64{number(o.Account), 1, int64(i)}
			}
		}
		if t.Before(s.from) {
			continue
		}
		if by == last && by[0] != 0 {
			out[len(out)-1][1] = t.Unix() + 60
		} else if by[0] != 0 {
			out = append(out, stretch{t.Unix(), t.Unix() + 60, by[0], by[1]})
		}
		last = by
	}
	return out
}

func TestRandomRotasAgreeWithAWalkMinuteByMinute(t *testing.T) {
	testenv.Long(t)
	z, r := loadZones(t), rand.New(rand.NewPCG(1, 2))
	for i := range 1500 {
		s := z.random(r)
		if got, want := s.stretches(), s.walked(); !slices.Equal(got, want) {
			t.Fatalf("rota %d, %s:\n got %v\nwant %v", i, s.describe(), got, want)
		}
	}
}

func (s *span) describe() string {
	return fmt.Sprintf("%s from %s to %s, %+v", s.zone, s.from, s.to, s.rota)
}

// asked is a span as the Python script reads it.
type asked struct {
	Zone      string    `json:"zone"`
	From      int64     `json:"from"`
	To        int64     `json:"to"`
	Start     int64     `json:"start"`
	Hours     int       `json:"hours"`
	Accounts  []int64   `json:"accounts"`
	Overrides []stretch `json:"overrides"` // from, to, account, and nothing
}

func (s *span) asked() asked {
	a := asked{Zone: s.zone, From: s.from.Unix(), To: s.to.Unix(), Start: s.rota.Rotation.Start.Unix(),
		Hours: s.rota.Rotation.Hours, Accounts: []int64{}, Overrides: []stretch{}}
	for _, account := range s.rota.Rotation.Accounts {
		a.Accounts = append(a.Accounts, number(account))
	}
	for _, o := range s.rota.Overrides {
		a.Overrides = append(a.Overrides, stretch{o.From.Unix(), o.To.Unix(), number(o.Account)})
	}
	return a
}

func TestRandomRotasAgreeWithZoneinfo(t *testing.T) {
	testenv.Long(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		say := t.Log
		if os.Getenv("CI") != "" {
			say = t.Fatal
		}
		say("there is no python3 here: rotas were only compared minute by minute")
		return
	}
	z, r := loadZones(t), rand.New(rand.NewPCG(3, 4))
	spans, questions := make([]span, 5000), make([]asked, 5000)
	for i := range spans {
		spans[i] = z.random(r)
		questions[i] = spans[i].asked()
	}
	input, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	model := exec.CommandContext(t.Context(), python, "-I", filepath.Join("testdata", "zoneinfo_model.py"), z.dir)
	model.Stdin, model.Stderr = bytes.NewReader(input), os.Stderr
	output, err := model.Output()
	if err != nil {
		t.Fatalf("the model in Python: %v", err)
	}
	var answers [][]stretch
	if err := json.Unmarshal(output, &answers); err != nil || len(answers) != len(spans) {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for i := range spans {
		if got, want := spans[i].stretches(), answers[i]; !slices.Equal(got, want) {
			t.Fatalf("rota %d, %s:\n got %v\nwant %v", i, spans[i].describe(), got, want)
		}
	}
}

func TestTheNextHandOverIsTheNextEndOfAShift(t *testing.T) {
	z, r := loadZones(t), rand.New(rand.NewPCG(5, 6))
	for i := range 1000 {
		s := z.random(r)
		ends := map[int64]bool{}
		for at, ok := s.rota.Next(s.from); ok && at.Before(s.to); at, ok = s.rota.Next(at) {
			ends[at.Unix()] = true
		}
		stretches := s.stretches()
		for _, part := range stretches {
			for _, end := range part[:2] {
				if end > s.from.Unix() && end < s.to.Unix() && !ends[end] {
					t.Fatalf("rota %d, %s: no hand-over at %s", i, s.describe(), time.Unix(end, 0).UTC())
				}
			}
		}
		for range 20 {
			at := s.from.Add(time.Duration(r.Int64N(int64(s.to.Sub(s.from)))))
			want := int64(0)
			for _, part := range stretches {
				if part[0] <= at.Unix() && at.Unix() < part[1] {
					want = part[2]
				}
			}
			if got := s.rota.At(at, everybody); number(got.On) != want {
				t.Fatalf("rota %d, %s: at %s %v is on duty, want %d", i, s.describe(), at, got.On, want)
			}
		}
	}
}
