// Command sbom prints what a program is made of, as CycloneDX 1.6: the modules that its
// build noted in it, with their versions and sums, the standard library, and what the pages
// and the data in it are; each with its licences. The same program gives the same text.
//
//	sbom bin/signet
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"signet/internal/licenses"
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
	Licenses   []license  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Pedigree   *pedigree  `json:"pedigree,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

// license is an expression of SPDX.
type license struct {
	Expression string `json:"expression"`
}

// pedigree says that a component is not as its authors published it.
type pedigree struct {
	Notes string `json:"notes"`
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
	parts, err := licenses.PartsOf(info)
	if err != nil {
		return err
	}
	sums := make(map[string]string) // of modules, over all of their files, as go.sum has them
	for _, module := range info.Deps {
		sums[module.Path] = module.Sum
	}
	out := document{Format: "CycloneDX", Version: "1.6", Revision: 1, Metadata: metadata{describe(parts[0], "")}}
	out.Metadata.Component.Type = "application"
	for _, part := range parts[1:] {
		out.Components = append(out.Components, describe(part, sums[part.Name]))
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

// describe tells of a part; sum is that of a module's files.
func describe(part licenses.Part, sum string) component {
	c := component{Type: "library", Name: part.Name, Version: part.Version,
		Licenses: []license{{strings.Join(part.Licenses, " AND ")}}}
	kind, name, other := strings.Cut(part.Name, ":")
	switch {
	case !other:
		if part.Name == "std" {
			c.Version = strings.TrimPrefix(part.Version, "go")
		}
		c.PURL = "pkg:golang/" + part.Name
	case kind == "npm":
		c.Name, c.PURL = name, "pkg:npm/"+strings.ReplaceAll(name, "@", "%40")
	default:
		c.Type = "data"
	}
	if c.PURL != "" && c.Version != "" {
		c.PURL += "@" + c.Version
	}
	if c.Ref = c.PURL; c.Ref == "" {
		c.Ref = part.Name
	}
	if part.Changed {
		c.Pedigree = &pedigree{"built with the changes of third_party/" + path.Base(part.Name) + ".patch"}
	}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}
