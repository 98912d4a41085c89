package guard

import (
	"errors"
	"testing"

	"signet/internal/model"
)

func TestUploadsOfAKeyAreBounded(t *testing.T) {
	var u Uploads
	var leave []func()
	for range MostUploads {
		left, err := u.Enter("a")
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, left)
	}
	_, err := u.Enter("a")
	told, ok := errors.AsType[*model.Error](err)
	if !ok || told.Kind != model.Unavailable || told.Code != CodeUploadsBusy || told.RetryAfter == 0 {
		t.Fatalf("got %v", err)
	}
	other, err := u.Enter("b")
	if err != nil {
		t.Fatal("one key keeps another from uploading: ", err)
	}
	leave[0]()
	if leave[0], err = u.Enter("a"); err != nil {
		t.Fatal(err)
	}
	for _, left := range append(leave, other) {
		left()
	}
	if len(u.by) != 0 {
		t.Errorf("left are %v", u.by)
	}
}
