package api

import (
	"strings"
	"testing"
)

func TestDeviceIsAFewPlainWords(t *testing.T) {
	const webkit, windows = " (KHTML, like Gecko) ", "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
	for agent, want := range map[string]string{
		"": "Browser", "curl/8.14": "Browser", "\x1b[2J<script>": "Browser", strings.Repeat("x", 1<<20): "Browser",
		"Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0":     "Firefox on Linux",
		"Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0":       "Firefox on Android",
		windows + webkit + "Chrome/142.0.0.0 Safari/537.36":                          "Chrome on Windows",
		windows + webkit + "Chrome/142.0 Safari/537.36 Edg/142.0":                    "Edge on Windows",
		"(Macintosh; Intel Mac OS X 10_15_7)" + webkit + "Version/26 Safari/605":     "Safari on macOS",
		"(iPhone; CPU iPhone OS 26 like Mac OS X)" + webkit + "CriOS/142 Safari/6":   "Chrome on iPhone",
		"(iPad; CPU OS 18_6 like Mac OS X)" + webkit + "Version/18.6 Safari/604":     "Safari on iPad",
		"(Linux; Android 16)" + webkit + "SamsungBrowser/29.0 Chrome/136.0 Safari/5": "Samsung Internet on Android",
		"(X11; CrOS x86_64)" + webkit + "Chrome/142.0 Safari/537.36 OPR/124.0":       "Opera on ChromeOS",
	} {
		if got := device(agent); got != want {
			t.Errorf("%.120q is %q, want %q", agent, got, want)
		}
	}
}
