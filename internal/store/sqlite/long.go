package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"

	"signet/internal/model"
)

// A list of more than maxList elements is bound as one parameter, a JSON array: SQLite takes
// 32,766 parameters, and an organization may have more members. Bytes stand in it as hex.

// longForms are the subqueries that read such a list, by its form.
var longForms = map[int]string{
	longBytes: "SELECT unhex(value) FROM json_each(?)",
	longOther: "SELECT value FROM json_each(?)",
}

// form is the width that a list is widened to, as step numbers it, or how a long one is bound.
func form(list any, n int) int {
	switch {
	case n <= maxList:
		return step(n)
	case holdsBytes(list):
		return longBytes
	default:
		return longOther
	}
}

// holdsBytes reports whether the elements of a list are stored as bytes.
func holdsBytes(list any) bool {
	element := reflect.TypeOf(list).Elem()
	return element.Implements(reflect.TypeFor[driver.Valuer]()) ||
		element.Kind() == reflect.Slice && element.Elem().Kind() == reflect.Uint8
}

// bindLong sets the parameter of a long list.
func bindLong(stmt *sqlite.Stmt, param int, arg any) error {
	list := arg
	switch v := arg.(type) {
	case []model.AccountID:
		list = hexOf(v)
	case []model.MessageID:
		list = hexOf(v)
	default:
		if !holdsBytes(arg) {
			break
		}
		all := reflect.ValueOf(arg)
		texts := make([]string, all.Len())
		for i := range texts {
			value := all.Index(i).Interface()
			if v, ok := value.(driver.Valuer); ok {
				var err error
				if value, err = v.Value(); err != nil {
					return err
				}
			}
			bytes, ok := value.([]byte)
			if !ok {
				return fmt.Errorf("type %T cannot be stored in a list", value)
			}
			texts[i] = hex.EncodeToString(bytes)
		}
		list = texts
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	stmt.BindText(param, string(text))
	return nil
}

func hexOf[K any](list []model.ID[K]) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = hex.EncodeToString(list[i][:])
	}
	return out
}
