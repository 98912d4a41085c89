// Package web serves the pages in a browser: the messenger at / and /c, the console at
// /console, the description of the interface at /docs, and what they are made of.
// `make build` makes them (web/dist) of the TypeScript in web/src, and they are embedded
// in the program, unless it is built with the tag noweb.
//
// It owns the files and the headers that they are served with. It knows nothing of the
// server: pages call the interface, as every client does.
package web

import (
	"bytes"
	"cmp"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// policy lets a page load what this server serves, and nothing else. No text becomes a
// script: trusted-types admits the one policy for the address of the service worker.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types signet-sw"

// assets is where files lie whose names change with their content.
const assets = "/assets/"

// types are those that a system may not know.
var types = map[string]string{".webmanifest": "application/manifest+json"}

// Built reports whether the program has the pages in it.
func Built() bool { return made("index.html") }

// HasConsole reports whether the console is among them.
func HasConsole() bool { return made("console.html") }

// has reports whether a file lies under a name, and not only in a coding.
func has(name string) bool {
	_, err := fs.Stat(dist, name)
	return err == nil
}

// made reports whether the build has made a file, in whichever coding.
func made(name string) bool { return has(name) || has(path.Join("gzip", name)) }

// Pages serves the pages, and gives every other request to next.
func Pages(next http.Handler) http.Handler {
	if !Built() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, status := file(r.URL.Path), http.StatusOK
		if name == "" && isLost(r) {
			name, status = missing(r), http.StatusNotFound
		}
		if name == "" || r.Method != http.MethodGet && r.Method != http.MethodHead || !made(name) {
			next.ServeHTTP(w, r)
			return
		}
		serve(w, r, name, status)
	})
}

// file names what a path shows; empty if that is no file of a page.
func file(address string) string {
	switch {
	case address == "/", within(address, "/c"):
		return "index.html"
	case within(address, "/console"):
		return "console.html"
	case within(address, "/docs"):
		return "docs.html"
	case address == "/manifest.webmanifest", address == "/sw.js":
		return address[1:]
	case strings.HasPrefix(address, assets) && fs.ValidPath(address[1:]):
		return address[1:]
	default:
		return ""
	}
}

// within reports whether an address is that of an entry, or of a view in it.
func within(address, entry string) bool {
	rest, found := strings.CutPrefix(address, entry)
	return found && (rest == "" || rest[0] == '/')
}

func serve(w http.ResponseWriter, r *http.Request, name string, status int) {
	content, coding, choice := coded(name, r.Header["Accept-Encoding"])
	h := w.Header()
	h.Set("Content-Type", cmp.Or(types[path.Ext(name)], mime.TypeByExtension(path.Ext(name))))
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if coding != identity {
		h.Set("Content-Encoding", coding)
	}
	if choice {
		h.Add("Vary", "Accept-Encoding")
	}
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, assets[1:]) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	if status == http.StatusNotFound {
		h.Add("Vary", "Accept, Accept-Language, Sec-Fetch-Mode")
	}
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = bytes.NewReader(content).WriteTo(w) // a reader that has gone is not told
}
