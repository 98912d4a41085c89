// Package brand is what the house that runs a server calls itself: its name and its logo, which
// pages show before anybody has signed in.
//
// It owns what a logo may be, and reads it from its file. It does not know the settings that
// name them, nor how they are served.
package brand

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a format of logos
	_ "image/png"  // another one
	"io"
	"os"
	"slices"

	_ "golang.org/x/image/webp" // and the third
)

// What a logo may be: pages load it before anything else that is theirs to show.
const (
	MaxBytes = 256 << 10
	MaxSide  = 1024 // pixels
)

// formats are those that every browser shows as a picture, and nothing else: an SVG is a document,
// which may hold scripts.
var formats = []string{"png", "jpeg", "webp"}

// Brand is the name and the logo of a house.
type Brand struct {
	Name string // empty: none
	Logo *Logo  // nil: none
}

// Logo is a picture as its file has it.
type Logo struct {
	Type  string // by its bytes
	Bytes []byte
	Tag   string // names these bytes
}

// ReadLogo reads a logo from its file; without a path there is none. Whatever a browser would
// show otherwise than as a picture is refused.
func ReadLogo(path string) (*Logo, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(content) > MaxBytes:
		return nil, fmt.Errorf("%s is larger than %d KiB", path, MaxBytes>>10)
	}
	format, err := check(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(content)
	return &Logo{Type: "image/" + format, Bytes: content, Tag: hex.EncodeToString(sum[:16])}, nil
}

// errFormat refuses a file that is no picture of these formats.
var errFormat = errors.New("want a PNG, JPEG or WebP picture")

// check returns the format of a picture, all of which it reads once: one that is cut off would
// show half.
func check(content []byte) (format string, err error) {
	config, format, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil || !slices.Contains(formats, format) { // others may be known to the program
		return "", errFormat
	}
	if config.Width > MaxSide || config.Height > MaxSide {
		return "", fmt.Errorf("the picture has %d x %d pixels, want at most %d x %d", config.Width, config.Height,
			MaxSide, MaxSide)
	}
	if _, _, err := image.Decode(bytes.NewReader(content)); err != nil {
		return "", fmt.Errorf("the picture is damaged: %w", err)
	}
	return format, nil
}
