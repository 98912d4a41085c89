package api

import "signet/internal/model"

// A call takes a token of its key's rate, which is for about a millisecond of a core: a
// read takes 0.05 to 0.3, a search with 64 criteria 14, 100 statuses 9, 2,000 members 49,
// a poll of 4 MiB 12. So a key that calls as often as it may takes a part of one core,
// whatever it asks for. docs/api/README.md has the same table.
//
//	search                a token, one for every 5 criteria, one for every 25 results
//	ids or members named  one for every 20: statuses, acknowledgements, metadata, changes of members, whom steps ask
//	members of a group    one for every 50
//	people made in a call  one for each, as if each were a call
//	alerts                one for every 25: most were told before
//	pages of lists        one for every 25 entries: for a console, of conversations
//	rows written          one for every 100 that a change of a group writes, now or later
//	history               one for every 100 messages that are looked at
//	search in messages    one for every 200 messages that are looked at
//	shifts                one for every 100 that are shown
//	figures over time     one for every 250 rows that are read
//	archive               25: it pauses as long as it reads, and an account makes one at a time
//	poll                  one for every 100 events
//	answers of JSON       one for every 512 KiB
//	uploads               one for every 1 MiB

func costOfSearch(criteria, hits int) int { return 1 + criteria/5 + hits/25 }
func costOfIDs(n int) int                 { return n / 20 }
func costOfPeople(n int) int              { return n - 1 }
func costOfMembers(n int) int             { return n / 50 }
func costOfAlerts(n int) int              { return n / 25 }
func costOfList(n int) int                { return n / 25 }
func costOfEvents(n int) int              { return n / 100 }
func costOfHistory(n int) int             { return n / 100 }
func costOfFinding(n int) int             { return n / 200 }
func costOfShifts(n int) int              { return n / 100 }
func costOfFigures(n int) int             { return n / 250 }
func costOfAnswer(bytes int) int          { return bytes >> 19 }
func costOfBody(bytes int64) int          { return int(bytes >> 20) }

// costOfSteps is that of looking for whom the steps of an escalation ask.
func costOfSteps(steps []model.AskedStep) int {
	named := 0
	for _, step := range steps {
		named += len(step.To)
	}
	return costOfIDs(named)
}

const costOfExport = 25

func costOfRows(n int) int { return n / 100 }
