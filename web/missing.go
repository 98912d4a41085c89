package web

import (
	"net/http"
	"regexp"
	"strings"
)

// Languages that there is a page in for an address where there is nothing; the first for
// those who speak none of them.
var languages = []string{"en", "de", "fr"}

// forPrograms are addresses at which nobody looks for a page: those of calls, and of what
// describes them.
var forPrograms = regexp.MustCompile(`^/v[0-9]|\.json$|^/metrics/?$`)

// isLost reports whether a person has gone to an address where there is no page. Browsers
// say that they go somewhere; old ones, and all over plain HTTP, say only what they show.
func isLost(r *http.Request) bool {
	if forPrograms.MatchString(r.URL.Path) {
		return false
	}
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		return false
	}
	return weigh(r.Header["Accept"])["text/html"] > 0
}

// missing names the page that says so, in the language that the browser prefers.
func missing(r *http.Request) string {
	weights := weigh(r.Header["Accept-Language"])
	found, best := languages[0], 0.0
	for _, language := range languages {
		for tag, weight := range weights {
			if primary, _, _ := strings.Cut(tag, "-"); primary == language && weight > best {
				found, best = language, weight
			}
		}
	}
	return "missing-" + found + ".html"
}
