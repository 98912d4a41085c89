package cli

import (
	"io"
	"iter"
	"strings"

	"signet/client"
	"signet/internal/spreadsheet"
)

// memberColumns are those of a table of members. The import knows them all, and leaves out the
// last three.
var memberColumns = []string{"display_name", "username", "emails", "phones", "title", "department", "first_name",
	"last_name", "roles", "disabled", "last_seen"}

// writeMembers writes members as a table for spreadsheets, once all are there: a table that lacks
// some would look whole.
func writeMembers(w io.Writer, all iter.Seq2[client.Member, error]) error {
	rows := [][]string{memberColumns}
	for m, err := range all {
		if err != nil {
			return err
		}
		rows = append(rows, memberCells(&m))
	}
	_, err := io.WriteString(w, spreadsheet.Format(rows))
	return err
}

func memberCells(m *client.Member) []string {
	var emails, phones []string
	for _, e := range m.Emails {
		emails = append(emails, e.Address)
	}
	for _, p := range m.Phones {
		phones = append(phones, p.Number)
	}
	seen := ""
	if !m.LastSeenTime.IsZero() {
		seen = moment(m.LastSeenTime)
	}
	return []string{m.DisplayName, m.Username, strings.Join(emails, ", "), strings.Join(phones, ", "), m.Title,
		m.Department, m.FirstName, m.LastName, strings.Join(m.Roles, ", "), yes(m.Disabled), seen}
}
