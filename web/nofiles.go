//go:build noweb

package web

import "embed"

// dist is empty: the program is built without the pages.
var dist embed.FS
