// Package generatortest is where a test has a Go client made from the interface's
// document, beside this file, and compiles it. It is a module of its own, so that
// what the generator and its clients are made of is no part of the project. It
// imports what such clients need, so that its go.mod has it.
package generatortest

import _ "github.com/oapi-codegen/runtime"
