package api

import "strings"

// device describes a browser for people who look through their sessions, by its User-Agent:
// in few plain words, of which each is one of these. What else it says is nobody's concern.
func device(userAgent string) string {
	browser, system := "Browser", ""
	// The names that others have too come last: nearly all say Safari, and most Chrome.
	for _, known := range [...]struct{ mark, name string }{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	} {
		if strings.Contains(userAgent, known.mark) {
			browser = known.name
			break
		}
	}
	for _, known := range [...]struct{ mark, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	} {
		if strings.Contains(userAgent, known.mark) {
			system = " on " + known.name
			break
		}
	}
	return browser + system
}
