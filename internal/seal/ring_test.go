package seal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestFirstStartMakesAMasterKeyAndARingForTheOwnerAlone(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	for _, path := range []string{p.ring, p.master} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", path, info.Mode())
		}
	}
	for _, want := range []string{"level=WARN", "made a master key", "made a key ring", "keep a copy"} {
		if !strings.Contains(p.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, p.log)
		}
	}
	id := r.ID()
	r.Close()
	p.log.Reset()
	if again := p.mustOpen(t, id); again.ID() != id {
		t.Errorf("the next start opened ring %s, want %s", again.ID(), id)
	}
	if p.log.Len() > 0 {
		t.Errorf("the next start logged %s", p.log)
	}
}

func TestWhatIsSealedOpensAfterARestart(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "secret", "row 1")
	wantText(t, r, sealed, "row 1", "secret")
	r.Close()
	wantText(t, p.mustOpen(t, r.ID()), sealed, "row 1", "secret")
}

func TestSealedTextOpensInItsPlaceOnly(t *testing.T) {
	r := newPlace(t).mustOpen(t, "")
	sealed := mustSeal(t, r, ward, "secret", "row 1")
	other := mustSeal(t, r, lab, "secret", "row 1")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the text is in what is sealed")
	}
	mixed := append(bytes.Clone(other[:prefixSize]), sealed[prefixSize:]...) // under another organization's key
	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	for name, c := range map[string]struct {
		sealed []byte
		bound  string
	}{
		"in another row":              {sealed, "row 2"},
		"under another key":           {mixed, "row 1"},
		"with one bit changed":        {flipped, "row 1"},
		"cut short":                   {sealed[:len(sealed)-1], "row 1"},
		"of which the key is all":     {sealed[:prefixSize], "row 1"},
		"that is empty":               {nil, "row 1"},
		"of a form that is not known": {append([]byte{9}, sealed[1:]...), "row 1"},
	} {
		if text, err := r.Open(t.Context(), c.sealed, Bind(c.bound)); !errors.Is(err, ErrBroken) {
			t.Errorf("a text %s: %q, %v, want ErrBroken", name, text, err)
		}
	}
	unknown := bytes.Clone(sealed)
	unknown[1] ^= 1
	for asked := range 2 {
		if r.Ready(unknown) != (asked > 0) {
			t.Errorf("asked %d times for a key that nobody knows, Ready is %v", asked, asked == 0)
		}
		if _, err := r.Open(t.Context(), unknown, Bind("row 1")); !errors.Is(err, ErrKeyGone) {
			t.Errorf("a text under a key that nobody knows: %v, want ErrKeyGone", err)
		}
	}
}

func TestBindTellsTextsApartWhereverTheyMeet(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{{"ab", "c"}, {"a", "bc"}, {"abc"}, {"abc", ""}, {"", "abc"}, {"", "", "abc"}, nil,
		{""}} {
		bound := string(Bind(parts...))
		if other, taken := seen[bound]; taken {
			t.Errorf("%q and %q are bound alike", parts, other)
		}
		seen[bound] = parts
	}
}

func TestManyWhoNeedANewKeyGetTheSame(t *testing.T) {
	r := newPlace(t).mustOpen(t, "")
	var group sync.WaitGroup
	sealed := make([][]byte, 50)
	for i := range sealed {
		group.Go(func() {
			lease, err := r.Use(t.Context(), ward)
			if err != nil {
				t.Error(err)
				return
			}
			defer lease.Release()
			if sealed[i], err = lease.Seal([]byte("text"), nil); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, s := range sealed {
		if !bytes.Equal(s[:prefixSize], sealed[0][:prefixSize]) {
			t.Fatal("two keys were made for one name")
		}
	}
}

func TestKeyIsOnDiskBeforeItIsUsed(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	lease, err := r.Use(t.Context(), ward)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if !bytes.Contains(mustRead(t, p.ring), []byte(lease.id.String()+" ")) {
		t.Errorf("the file does not have key %s yet:\n%s", lease.id, mustRead(t, p.ring))
	}
}

func TestNamesThatARingCannotHoldAreRefused(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	before := mustRead(t, p.ring)
	for _, name := range []Name{{"ward", ""}, {"-", Always}, {"a b", Always}, {"ward", "al\nways"},
		{"ward\u00a0", Always}} {
		if _, err := r.Use(t.Context(), name); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
	if !bytes.Equal(mustRead(t, p.ring), before) {
		t.Error("the ring has changed")
	}
}

// What does not fit together is refused before anything is changed.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	mustSeal(t, r, ward, "secret", "row")
	id := r.ID()
	r.Close()
	other := newPlace(t)
	other.mustOpen(t, "").Close()
	ring, master := mustRead(t, p.ring), mustRead(t, p.master)
	for name, c := range map[string]struct {
		change func() error
		expect string
		says   string
	}{
		"a missing ring":                 {func() error { return os.Remove(p.ring) }, id, "the key ring is missing"},
		"a missing master key":           {func() error { return os.Remove(p.master) }, id, "the master key is missing"},
		"a missing master key, at first": {func() error { return os.Remove(p.master) }, "", "the master key is missing"},
		"another ring": {func() error { return os.WriteFile(p.ring, mustRead(t, other.ring), 0o600) },
			id, "is sealed with key ring " + id},
		"another master key": {func() error {
			return os.WriteFile(p.master, mustRead(t, other.master),
				0o600)
		}, id, "is not the one that the key ring"},
		"a master key that is none": {func() error { return os.WriteFile(p.master, []byte("{}"), 0o600) }, id,
			"cannot be used"},
		"an empty master key": {func() error { return os.WriteFile(p.master, nil, 0o600) }, id,
			"cannot be used"},
		"a ring that is none": {func() error { return os.WriteFile(p.ring, []byte("x\n"), 0o600) }, id,
			"is damaged"},
		"an empty ring": {func() error { return os.WriteFile(p.ring, nil, 0o600) }, id, "is damaged"},
		"a ring of a later version": {func() error {
			return os.WriteFile(p.ring,
				bytes.Replace(ring, []byte(" 1 "), []byte(" 2 "), 1), 0o600)
		}, id, "format 2"},
		"a ring with a line that is too long": {func() error {
			return os.WriteFile(p.ring,
				append(bytes.TrimSpace(ring), " x\n"...), 0o600)
		}, id, "line 2"},
	} {
		if err := errors.Join(os.WriteFile(p.ring, ring, 0o600), os.WriteFile(p.master, master, 0o600),
			c.change()); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), p.options(OpenFileBeside(p.ring), c.expect))
		var setup *SetupError
		if !errors.As(err, &setup) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a SetupError that says %q", name, err, c.says)
		}
	}
}

func TestMasterKeyOfAVariable(t *testing.T) {
	text, err := NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(text, []byte("\n")) != 1 {
		t.Errorf("a master key is not on one line: %q", text)
	}
	p := newPlace(t)
	open := func(value string) error {
		master, err := ParseMaster("env:RING_MASTER", func(name string) string {
			if name != "RING_MASTER" {
				t.Errorf("variable %s was asked for", name)
			}
			return value
		})
		if err != nil {
			t.Fatal(err)
		}
		o := p.options(OpenFileBeside(p.ring), "")
		o.Master = master
		r, err := Open(t.Context(), o)
		if err == nil {
			mustSeal(t, r, ward, "text", "row")
		}
		return err
	}
	if err := open(""); !errors.As(err, new(*SetupError)) || !strings.Contains(err.Error(), "RING_MASTER") {
		t.Errorf("an empty variable: %v, want a SetupError that names it", err)
	}
	for range 2 {
		if err := open(string(text)); err != nil {
			t.Error(err)
		}
	}
	another, err := NewMasterKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := open(string(another)); !errors.As(err, new(*SetupError)) {
		t.Errorf("another master key: %v, want a SetupError", err)
	}
	for _, text := range []string{"", "master.key", "file:", "env:", "kms:x"} {
		if _, err := ParseMaster(text, os.Getenv); !errors.As(err, new(*SetupError)) {
			t.Errorf("ParseMaster(%q): %v, want a SetupError", text, err)
		}
	}
}

func TestPeriodsTellTheirDays(t *testing.T) {
	late := time.Date(2026, 11, 21, 23, 59, 59, 999e6, time.FixedZone("", -5*3600)) // the next day in UTC
	if got := Until(late); got != "until-2026-11-22" {
		t.Errorf("Until: %s", got)
	}
	if got := From(late); got != "from-2026-11-22" {
		t.Errorf("From: %s", got)
	}
	if end, ok := Ends(Until(late)); !ok || !end.Equal(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("Ends: %v, %v", end, ok)
	}
	if day, ok := Begins(From(late)); !ok || !day.Equal(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("Begins: %v, %v", day, ok)
	}
	for _, period := range []string{Always, "until-x", "from-2026-13-01", "until-"} {
		if _, ok := Ends(period); ok {
			t.Errorf("%s has an end", period)
		}
		if _, ok := Begins(period); ok {
			t.Errorf("%s has a beginning", period)
		}
	}
}

// More keys than are kept unwrapped at a time all open.
func TestKeysThatWereLetGoOfMemoryOpenAgain(t *testing.T) {
	p := newPlace(t)
	r := p.mustOpen(t, "")
	first := mustSeal(t, r, ward, "first", "row")
	master, header := r.master, r.header
	var records []Record
	for i := range opened + 10 {
		record, err := master.wrap(&header, newKeyID(), Name{fmt.Sprint(i), Always}, newKey())
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	err := r.storage.Rewrap(t.Context(), func(c *Contents) error { c.Records = append(c.Records, records...); return nil })
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	r = p.mustOpen(t, r.ID())
	for i := range opened + 10 {
		if lease, err := r.lease(Name{fmt.Sprint(i), Always}); err != nil || lease == nil {
			t.Fatal(lease, err)
		}
		if r.opened > opened {
			t.Fatalf("%d keys are unwrapped", r.opened)
		}
	}
	wantText(t, r, first, "row", "first")
}

func FuzzOpen(f *testing.F) {
	p := newPlace(f)
	r := p.mustOpen(f, "")
	sealed := mustSeal(f, r, ward, "secret", "row")
	f.Add(sealed)
	f.Add(sealed[:prefixSize])
	f.Add(sealed[:overhead-1])
	f.Add([]byte{Form})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, garbage []byte) {
		text, err := r.Open(t.Context(), garbage, Bind("row"))
		if err == nil && !bytes.Equal(garbage, sealed) {
			t.Fatalf("%x opens as %q", garbage, text)
		}
		if err != nil && !errors.Is(err, ErrBroken) && !errors.Is(err, ErrKeyGone) {
			t.Fatal(err)
		}
	})
}
