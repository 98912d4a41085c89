package wire

import (
	"testing"

	"signet/internal/model"
	"signet/internal/service"
)

func TestPagesOfASearchAreWrittenAsTheyWouldBeEncoded(t *testing.T) {
	type metadata struct {
		TotalHits    int    `json:"total_hits"`
		FirstHit     int    `json:"first_hit"`
		Continuation string `json:"continuation,omitempty"`
	}
	type hit struct {
		Type           string               `json:"type"`
		OrganizationID model.OrganizationID `json:"organization_id"`
		Entity         any                  `json:"entity"`
	}
	type page struct {
		Results  any      `json:"results"`
		Metadata metadata `json:"metadata"`
	}
	write := func(text Text) []byte {
		t.Helper()
		b, err := text.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v := &View{Namespace: "tigertext"}
	const clinic = model.OrganizationID("clinic")
	account := model.Entity{Account: &model.Account{ID: model.AccountID{1}, DisplayName: "Ann \"A\" <b>"},
		Organization: clinic, Title: "Nurse"}
	board := model.Entity{Group: &model.Group{ID: model.GroupID{2}, Name: "Board"}, Organization: clinic}
	one := service.SearchHit{Organization: clinic, Token: model.EntityID{1}, Entity: account}
	other := service.SearchHit{Organization: clinic, Token: model.EntityID{2}, Group: true, Entity: board,
		Metadata: map[string]string{"role": "all"}}
	user, group := v.User(account), v.Group(board.Group)
	group.Metadata = other.Metadata
	hits := []hit{{"tigertext:entity:account", clinic, user}, {"tigertext:entity:group", clinic, group}}

	found := &service.SearchResult{Hits: []service.SearchHit{one, other}, Total: 7, First: 5, Continuation: "next"}
	said := metadata{7, 5, "next"}
	wantAsEncoded(t, write(v.FoundText(found, nil)), page{hits, said})
	wantAsEncoded(t, write(FoundTokensText(found)), page{[]model.EntityID{{1}, {2}}, said})
	shown := map[string]bool{"token": true, "metadata": true, "title": true}
	hits[0].Entity = map[string]any{"token": user.Token, "title": "Nurse"}
	hits[1].Entity = map[string]any{"token": group.Token, "metadata": group.Metadata}
	wantAsEncoded(t, write(v.FoundText(found, shown)), page{hits, said})

	none := new(service.SearchResult)
	wantAsEncoded(t, write(v.FoundText(none, nil)), page{[]hit{}, metadata{}})
	wantAsEncoded(t, write(FoundTokensText(none)), page{[]hit{}, metadata{}})
}
