package series

import (
	"maps"
	"slices"
	"time"

	"signet/internal/model"
	"signet/internal/store"
	stored "signet/internal/store/series"
	"signet/internal/tally"
)

// minute is what a server has counted in one, as far as it is not written.
type minute struct {
	begun time.Time
	node  model.NodeID
	whole whole
	parts []stored.Row // of organizations, in their order

	own   bool // what the server has counted in all is written
	first bool // the server is the first in the minute, and what all servers have is not written
}

// addParts notes what was counted of organizations.
func (m *minute) addParts(c *tally.Counts, by marker) {
	for _, id := range slices.Sorted(maps.Keys(c.Organizations)) {
		of := c.Organizations[id]
		p := partOf(of, m.begun)
		m.parts = append(m.parts, stored.Row{Organization: id, Step: stored.Minute, Begun: m.begun, Node: m.node,
			Counted: p.stored(), People: by.of(of.People).stored()})
	}
}

// putParts writes rows of organizations, without those that were deleted meanwhile.
func putParts(tx *store.Tx, rows []stored.Row) error {
	ids := make([]model.OrganizationID, len(rows))
	for i := range rows {
		ids[i] = rows[i].Organization
	}
	standing, err := tx.ShareOrganizations(ids)
	if err != nil {
		return err
	}
	for i := range rows {
		if !slices.Contains(standing, rows[i].Organization) {
			continue
		}
		if err := stored.Put(tx, &rows[i]); err != nil {
			return err
		}
	}
	return nil
}
