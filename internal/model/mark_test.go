package model

import "testing"

func TestMarkTellsItsStoreFromOthersAndFromCopies(t *testing.T) {
	mine := Identity{"ward", "e1", "5-abc"}
	for name, c := range map[string]struct {
		mark Mark
		want Fit
	}{
		"nobody's":                         {Mark{}, FitsNobody},
		"its own":                          {Mark{Installation: "ward", Epoch: "e1", Turn: "5-abc"}, Fits},
		"while the turn is taken":          {Mark{Installation: "ward", Epoch: "e1", Turn: "4-xyz", Next: "5-abc"}, Fits},
		"before the store has it":          {Mark{Installation: "ward", Epoch: "e1", Turn: "5-abc", Next: "6-def"}, Fits},
		"an older copy put back":           {Mark{Installation: "ward", Epoch: "e1", Turn: "4-xyz"}, FitsOlder},
		"a copy of the store was there":    {Mark{Installation: "ward", Epoch: "e1", Turn: "6-ghi"}, Overtaken},
		"a copy took the same turn":        {Mark{Installation: "ward", Epoch: "e1", Turn: "5-jkl"}, Overtaken},
		"another epoch":                    {Mark{Installation: "ward", Epoch: "e2", Turn: "5-abc"}, Foreign},
		"another installation":             {Mark{Installation: "lab", Epoch: "e1", Turn: "5-abc"}, Foreign},
		"before anybody took a turn there": {Mark{Installation: "ward", Epoch: "e1"}, FitsOlder},
	} {
		if got := c.mark.Fit(mine); got != c.want {
			t.Errorf("%s: %v fits %v, want %v", name, c.mark, got, c.want)
		}
	}
	if next := mine.Turn.NewTurn("r"); next != "6-r" {
		t.Errorf("the turn after %s is %s", mine.Turn, next)
	}
}
