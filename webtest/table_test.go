package webtest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"signet/client"
)

// mustAdmit makes so many people more, and returns their tokens.
func (p place) mustAdmit(t testing.TB, people int) (tokens []string) {
	t.Helper()
	operator := mustConnect(t, p.url, p.operator)
	for from := 0; from < people; from += 500 {
		var some []client.NewUser
		for i := from; i < min(from+500, people); i++ {
			some = append(some, client.NewUser{Username: fmt.Sprintf("person%05d", i),
				DisplayName: fmt.Sprintf("Person %05d", i)})
		}
		made, err := operator.CreateUsers(t.Context(), p.organization, client.NewUsers{Users: some})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range made {
			if one.Err != nil {
				t.Fatal(one.Err)
			}
			tokens = append(tokens, one.User.Token)
		}
	}
	return tokens
}

// TestATableSortsAllThatThereIs, not what it has loaded.
func TestATableSortsAllThatThereIs(t *testing.T) {
	p := mustFill(t, mustServe(t), client.OrganizationSettings{})
	p.mustAdmit(t, 350)
	operator := mustConnect(t, p.url, p.operator)
	if err := operator.SetPassword(t.Context(), "me", "", password); err != nil {
		t.Fatal(err)
	}
	b := mustBrowse(t, p.url)
	b.signIn("operator")
	b.do(chromedp.Navigate(p.url + "/console/organizations/" + p.organization))
	b.elevate()
	const rows = `document.querySelectorAll("main tbody tr").length`
	b.want(rows + ` > 0 && document.querySelector(".more [role=status]").textContent === "So far: " + ` + rows)
	loaded := ask[int](b, rows)
	if loaded > 350 {
		t.Fatalf("one page has %d people", loaded)
	}
	b.press(".more", "Load more")
	b.want(fmt.Sprintf(`%s > %d`, rows, loaded))
	b.press("main thead", "Name")
	b.want(rows + ` === 351 && !document.querySelector(".more")`)
	b.want(`document.querySelector("main tbody tr").textContent.includes("Operator")`)
	b.press("main thead", "Name")
	b.want(`document.querySelector("main tbody tr").textContent.includes("Person 00349")`)
	b.want(`document.querySelector("main th[aria-sort=descending]").textContent === "Name"`)
}
