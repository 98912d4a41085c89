package input

import "strings"

// SnakeCase turns a name in camelCase into snake_case; one in snake_case stays.
func SnakeCase(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			if i > 0 && name[i-1] != '_' && !('A' <= name[i-1] && name[i-1] <= 'Z') {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}
