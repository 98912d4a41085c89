package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// searching asks for the first page of people whose name begins with two letters,
// like a client while a person types a name.
type searching struct {
	searches [][]*request // of each worker, one for each prefix
}

func (s *searching) prepare(ctx context.Context, on *stage, p *Plan) error {
	people, err := on.hire(ctx, p.Connections)
	if err != nil {
		return err
	}
	if _, err := on.fill(ctx, max(0, p.Members-p.Connections)); err != nil {
		return err
	}
	for _, person := range people {
		s.searches = append(s.searches, searchesOf(on, person))
	}
	return nil
}

// searchesOf are the searches of one person.
func searchesOf(on *stage, who *person) (searches []*request) {
	for _, name := range append(firstNames[:len(firstNames):len(firstNames)], lastNames...) {
		body := fmt.Sprintf(`{"type":["account"],"directory":[%q],"any":%q}`, on.organization, strings.ToLower(name[:2]))
		searches = append(searches, newRequest(who, http.MethodPost, on.url("search", ""), body))
	}
	return searches
}

func (s *searching) operate(ctx context.Context, c *connection, worker int) error {
	return c.call(ctx, pick(s.searches[worker]))
}

func pick(searches []*request) *request { return searches[rand.IntN(len(searches))] }
