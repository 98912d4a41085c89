package tally

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"signet/internal/model"
)

var noon = time.Date(2026, 11, 21, 12, 0, 30, 0, time.UTC)

func TestTallyCountsByOrganizationAndMinute(t *testing.T) {
	tally := new(Tally)
	urgent := &model.Message{Organization: "o1", Created: noon, Priority: 1}
	plain := &model.Message{Organization: "o2", Created: noon.Add(-time.Minute)}
	tally.Sent(urgent, 3, time.Millisecond)
	tally.Sent(plain, 1, 50*time.Millisecond)
	tally.Read(urgent, noon.Add(Soon))
	tally.Read(urgent, noon.Add(Soon+time.Millisecond))
	tally.Read(urgent, noon.Add(Late+time.Millisecond)) // too late for anything
	tally.Read(plain, noon)
	tally.Refused()
	got := tally.Take()
	minute := MinuteOf(noon)
	want := map[model.OrganizationID]*Organization{
		"o1": {Sent: 1, Minutes: map[int64]*Reading{minute: {Copies: 3, Priority: 3, Soon: 1, InTime: 2}}},
		"o2": {Sent: 1, Minutes: map[int64]*Reading{minute - 1: {Copies: 1, InTime: 1}}},
	}
	if got.Sent != 2 || got.Copies != 4 || got.Refused != 1 || !reflect.DeepEqual(got.Organizations, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := tally.Take(); got.Sent != 0 || got.Organizations != nil {
		t.Errorf("taken again there is %+v", got)
	}
}

// Who calls counts in each organization in which its key acts.
func TestTallyCountsWhoCalls(t *testing.T) {
	tally := new(Tally)
	both := []model.Membership{{Organization: "o1"}, {Organization: "o2"}}
	ann := &model.Actor{Account: model.AccountID{1}, Memberships: both}
	bob := &model.Actor{Account: model.AccountID{2}, Memberships: both[:1], Key: model.Key{Scope: "o1"}}
	for _, who := range []*model.Actor{ann, bob, ann} {
		tally.Called(who)
	}
	got := tally.Take().Organizations
	people := func(id model.OrganizationID) []model.AccountID {
		slices.SortFunc(got[id].People, func(a, b model.AccountID) int { return slices.Compare(a[:], b[:]) })
		return got[id].People
	}
	if first, second := people("o1"), people("o2"); !slices.Equal(first, []model.AccountID{{1}, {2}}) ||
		!slices.Equal(second, []model.AccountID{{1}}) {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestNoTallyCountsNothing(t *testing.T) {
	var none *Tally
	none.Sent(&model.Message{}, 1, 0)
	none.Read(&model.Message{}, noon)
	none.Called(&model.Actor{})
	none.Refused()
}

// Counting takes no memory once its organization was counted in the minute.
func TestCountingTakesNoMemory(t *testing.T) {
	tally := new(Tally)
	m := &model.Message{Organization: "o1", Created: noon, Priority: 1}
	actor := &model.Actor{Account: model.AccountID{1}, Memberships: []model.Membership{{Organization: "o1"}}}
	count := func() {
		tally.Sent(m, 2, time.Millisecond)
		tally.Read(m, noon)
		tally.Called(actor)
	}
	count()
	if n := testing.AllocsPerRun(100, count); n != 0 {
		t.Errorf("it takes %v allocations", n)
	}
}

// A quantile is right within its bucket: from 0.7 to 1.5 times the true one.
func TestQuantilesAreRightWithinABucket(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var durations Durations
	var all []time.Duration
	for range 10_000 {
		took := time.Duration(random.ExpFloat64() * float64(4*time.Millisecond))
		durations.observe(took)
		all = append(all, took)
	}
	slices.Sort(all)
	for _, share := range []float64{0.5, 0.9, 0.99} {
		got, ok := Quantile(durations[:], share)
		want := all[int(share*float64(len(all)))]
		if ratio := float64(got) / float64(want); !ok || ratio < 0.7 || ratio > 1.5 {
			t.Errorf("%v: got %v, %v, want about %v", share, got, ok, want)
		}
	}
	if _, ok := Quantile(nil, 0.5); ok {
		t.Error("nothing has a quantile")
	}
	var long Durations
	long.observe(time.Hour)
	if got, _ := Quantile(long[:], 0.99); got != bounds[len(bounds)-1] {
		t.Errorf("an hour is %v", got)
	}
}

func BenchmarkSent(b *testing.B) {
	tally, m := new(Tally), &model.Message{Organization: "o1", Created: noon}
	for b.Loop() {
		tally.Sent(m, 1, 300*time.Microsecond)
	}
}
