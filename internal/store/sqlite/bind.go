package sqlite

import (
	"database/sql/driver"
	"fmt"
	"reflect"

	"zombiezen.com/go/sqlite"

	"signet/internal/model"
)

// bind sets the arguments of a statement, whose number was checked.
func bind(st *statement, args []any) error {
	lists := st.query.lists
	param := 1
	for i, arg := range args {
		var err error
		if len(lists) > 0 && lists[0] == i {
			lists = lists[1:]
			param, err = bindList(st.stmt, param, arg)
		} else {
			err = bindValue(st.stmt, param, arg)
			param++
		}
		if err != nil {
			return fmt.Errorf("argument %d of %.80q: %w", i+1, st.query.Text, err)
		}
	}
	return nil
}

// bindValue sets one parameter. The identifiers, and pointers to them, are listed by kind
// because a type switch on them costs no allocation; a kind that is not listed works too.
func bindValue(stmt *sqlite.Stmt, param int, arg any) error {
	switch v := arg.(type) {
	case string:
		stmt.BindText(param, v)
	case int64:
		stmt.BindInt64(param, v)
	case int:
		stmt.BindInt64(param, int64(v))
	case bool:
		stmt.BindBool(param, v)
	case []byte:
		stmt.BindBytes(param, v)
	case model.OrganizationID:
		stmt.BindText(param, string(v))
	case model.AccountID:
		stmt.BindBytes(param, v[:])
	case model.MessageID:
		stmt.BindBytes(param, v[:])
	case model.EntityID:
		stmt.BindBytes(param, v[:])
	case model.GroupID:
		stmt.BindBytes(param, v[:])
	case model.BlobID:
		stmt.BindBytes(param, v[:])
	case *int64, *model.OrganizationID, *model.AccountID, *model.MessageID, *model.EntityID:
		bindPointed(stmt, param, v)
	case driver.Valuer:
		value, err := v.Value()
		if err != nil {
			return err
		}
		if _, again := value.(driver.Valuer); again {
			return fmt.Errorf("type %T cannot be stored", arg)
		}
		return bindValue(stmt, param, value)
	case nil:
		stmt.BindNull(param)
	default:
		return fmt.Errorf("type %T cannot be stored", arg)
	}
	return nil
}

// bindPointed is bindValue for a pointer.
func bindPointed(stmt *sqlite.Stmt, param int, arg any) {
	switch v := arg.(type) {
	case *int64:
		stmt.BindInt64(param, *v)
	case *model.OrganizationID:
		stmt.BindText(param, string(*v))
	case *model.AccountID:
		stmt.BindBytes(param, v[:])
	case *model.MessageID:
		stmt.BindBytes(param, v[:])
	case *model.EntityID:
		stmt.BindBytes(param, v[:])
	}
}

// listLen returns the length of the argument of a `?*`.
func listLen(arg any) (n int, ok bool) {
	switch v := arg.(type) {
	case []string:
		return len(v), true
	case []int64:
		return len(v), true
	case []model.AccountID:
		return len(v), true
	case []model.MessageID:
		return len(v), true
	case []byte:
		return 0, false
	}
	if v := reflect.ValueOf(arg); v.Kind() == reflect.Slice {
		return v.Len(), true
	}
	return 0, false
}

// bindList sets the parameters of a `?*` and returns the number of the next
// parameter.
func bindList(stmt *sqlite.Stmt, param int, arg any) (int, error) {
	if n, _ := listLen(arg); n > maxList {
		return param + 1, bindLong(stmt, param, arg)
	}
	switch v := arg.(type) {
	case []string:
		return bindEach(stmt, param, v, (*sqlite.Stmt).BindText), nil
	case []int64:
		return bindEach(stmt, param, v, (*sqlite.Stmt).BindInt64), nil
	case []model.AccountID:
		return bindEach(stmt, param, v, bindID), nil
	case []model.MessageID:
		return bindEach(stmt, param, v, bindID), nil
	}
	v := reflect.ValueOf(arg)
	n := v.Len()
	for i := range width(n) {
		if err := bindValue(stmt, param+i, v.Index(min(i, n-1)).Interface()); err != nil {
			return 0, err
		}
	}
	return param + width(n), nil
}

// bindEach binds the elements, and the last one again for what the list was
// widened by: it changes nothing in what the list matches.
func bindEach[T any](stmt *sqlite.Stmt, param int, list []T, bind func(*sqlite.Stmt, int, T)) int {
	n := len(list)
	for i := range width(n) {
		bind(stmt, param+i, list[min(i, n-1)])
	}
	return param + width(n)
}

func bindID[K any](stmt *sqlite.Stmt, param int, id model.ID[K]) { stmt.BindBytes(param, id[:]) }
