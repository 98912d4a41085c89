package guard

import (
	"net/http"
	"testing"
)

// Whatever the standard library takes for a foreign page's request is refused, and no cookie
// counts where anything is refused.
func TestOriginsRefuseWhatTheStandardLibraryDoes(t *testing.T) {
	o := NewOrigins(nil, "https://chat.example.com", "TT-X-", nil, nil)
	standard := http.NewCrossOriginProtection()
	if err := standard.AddTrustedOrigin("https://chat.example.com"); err != nil {
		t.Fatal(err)
	}
	counts := 0
	for _, method := range []string{"GET", "POST", "DELETE"} {
		for _, site := range []string{"", "none", "same-origin", "same-site", "cross-site", "new"} {
			for _, origin := range []string{"", "null", "https://chat.example.com", "http://chat.example.com",
				"https://inner.example.com", "https://inner.example.com:443", "https://inner.example.com:8443",
				"https://evil.example", "https://chat.example.com.evil.example", "file://"} {
				r, err := http.NewRequest(method, "https://inner.example.com/v2/message", nil)
				if err != nil {
					t.Fatal(err)
				}
				if site != "" {
					r.Header.Set("Sec-Fetch-Site", site)
				}
				if origin != "" {
					r.Header.Set("Origin", origin)
				}
				refused := o.Check(r)
				if theirs := standard.Check(r); theirs != nil && refused == nil && site != "new" &&
					origin != "https://inner.example.com:443" && origin != "http://chat.example.com" {
					t.Errorf("%s, site %q, origin %q: taken, and refused by the standard library: %v", method, site, origin, theirs)
				}
				if o.Own(r, "https") {
					counts++
					if site == "" && refused != nil {
						t.Errorf("%s, site %q, origin %q: a cookie counts, and the call is refused", method, site, origin)
					}
				}
			}
		}
	}
	// For each method: every origin where the browser says that it is the same, and its own
	// three spellings where it says nothing.
	if want := 3 * (10 + 3); counts != want {
		t.Errorf("a cookie counts %d times, want %d", counts, want)
	}
}
