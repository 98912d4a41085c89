//go:build !noweb

package web

import (
	"embed"
	"io/fs"
)

// all: so that it compiles where nothing was built yet, and dist has only a hidden file.
//
//go:embed all:dist
var embedded embed.FS

var dist = sub(embedded)

func sub(from embed.FS) fs.FS {
	files, err := fs.Sub(from, "dist")
	if err != nil {
		panic(err) // the path is a constant
	}
	return files
}
