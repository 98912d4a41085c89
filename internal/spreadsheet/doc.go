// Package spreadsheet reads people from the text files that spreadsheets write: comma-separated
// values (RFC 4180) and what goes by that name. It owns the rules of encodings, separators,
// quotes, names of columns and forms of cells, and writes such files. It knows no call and no file.
//
// web/src/console/state/spreadsheet.ts and web/src/kit/csv.ts do the same for the console. testdata
// holds both to the same rules: a change is made in both, and has its vectors.
package spreadsheet
