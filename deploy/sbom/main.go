// Command sbom prints what a program is made of, as CycloneDX 1.6: the modules that its
// build noted in it, with their versions and sums, and the standard library. The same
// program gives the same text.
//
//	sbom bin/signet
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

type document struct {
	Format     string      `json:"bomFormat"`
	Version    string      `json:"specVersion"`
	Revision   int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := list(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// list writes the document of a program.
func list(to io.Writer, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	standard := component{Type: "library", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	standard.PURL = "pkg:golang/std@" + standard.Version
	standard.Ref = standard.PURL
	out := document{Format: "CycloneDX", Version: "1.6", Revision: 1,
		Metadata: metadata{describe("application", &info.Main)}, Components: []component{standard}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		out.Components = append(out.Components, describe("library", module))
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// describe tells of a module. Its sum is the one of go.sum, over all of its files.
func describe(kind string, m *debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path}
	if m.Version != "" {
		c.PURL += "@" + m.Version
	}
	if c.Ref = c.PURL; m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
