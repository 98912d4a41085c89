package duty

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"signet/internal/model"
)

// Calendar is what a calendar (RFC 5545) says of the shifts of a group.
type Calendar struct {
	Group  model.GroupID
	Name   string // of the group
	Zone   string // the name of the time zone, for programs that show times in that of a calendar
	Shifts []Shift
	People map[model.AccountID]string // their names
	Made   time.Time
}

// calendarTime is a time of a calendar, in UTC: so it needs no description of a time zone.
const calendarTime = "20060102T150405Z"

// refresh is how often programs are to ask again.
const refresh = "PT1H"

// Bytes is the calendar as text/calendar in UTF-8. A shift keeps its identifier as long as it begins
// at the same time, whoever stands it.
func (c *Calendar) Bytes() []byte {
	var w contentLines
	w.line("BEGIN", "VCALENDAR")
	w.line("VERSION", "2.0")
	w.line("PRODID", "-//Signet//Duty//EN")
	w.line("CALSCALE", "GREGORIAN")
	w.line("METHOD", "PUBLISH")
	w.text("NAME", c.Name)
	w.text("X-WR-CALNAME", c.Name) // as NAME (RFC 7986), for older programs; likewise what follows
	w.text("X-WR-TIMEZONE", c.Zone)
	w.line("REFRESH-INTERVAL;VALUE=DURATION", refresh)
	w.line("X-PUBLISHED-TTL", refresh)
	for _, s := range c.Shifts {
		w.line("BEGIN", "VEVENT")
		w.line("UID", c.Group.String()+"-"+strconv.FormatInt(s.From.Unix(), 10))
		w.line("DTSTAMP", c.Made.UTC().Format(calendarTime))
		w.line("DTSTART", s.From.UTC().Format(calendarTime))
		w.line("DTEND", s.To.UTC().Format(calendarTime))
		w.text("SUMMARY", c.Name+": "+c.People[s.Account])
		if s.Override {
			w.line("CATEGORIES", "OVERRIDE")
		}
		w.line("TRANSP", "TRANSPARENT") // the group's calendar keeps nobody busy who reads it
		w.line("END", "VEVENT")
	}
	w.line("END", "VCALENDAR")
	return w.bytes
}

// contentLines are lines of RFC 5545, section 3.1.
type contentLines struct{ bytes []byte }

// lineLimit is how many bytes a line has at most; a longer one is folded.
const lineLimit = 75

func (w *contentLines) line(name, value string) {
	rest, room := name+":"+value, lineLimit
	for len(rest) > room {
		n := room
		for n > 0 && !utf8.RuneStart(rest[n]) {
			n--
		}
		w.bytes = append(append(w.bytes, rest[:n]...), "\r\n "...)
		rest, room = rest[n:], lineLimit-1 // the space counts
	}
	w.bytes = append(append(w.bytes, rest...), "\r\n"...)
}

// text is a line whose value people wrote (section 3.3.11).
func (w *contentLines) text(name, value string) {
	var escaped strings.Builder
	for _, r := range strings.ToValidUTF8(value, "�") {
		switch {
		case r == '\\' || r == ';' || r == ',':
			escaped.WriteRune('\\')
			escaped.WriteRune(r)
		case r == '\n':
			escaped.WriteString(`\n`)
		case r < ' ' || r == 0x7f:
			escaped.WriteRune(' ')
		default:
			escaped.WriteRune(r)
		}
	}
	w.line(name, escaped.String())
}
