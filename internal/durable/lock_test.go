package durable

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"testing"
)

func TestLockKeepsOthersOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 {
		lock, err := TryLock(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := TryLock(path); !errors.Is(err, ErrLocked) {
			t.Errorf("error %v, want ErrLocked", err)
		}
		if err := errors.Join(lock.Unlock(), lock.Unlock()); err != nil {
			t.Error(err)
		}
	}
	if _, err := TryLock(filepath.Join(t.TempDir(), "missing", "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}

func TestHeldTellsOfALockAndMakesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	want := func(want bool) {
		t.Helper()
		if got, err := Held(path); err != nil || got != want {
			t.Errorf("held is %t, %v; want %t", got, err, want)
		}
	}
	want(false)
	lock, err := TryLock(path)
	if err != nil {
		t.Fatalf("after a look: %v", err)
	}
	want(true)
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	want(false)
}

func TestWaitLockComesAfterTheOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	var free atomic.Bool // the lock itself would do, if the race detector knew of it
	done := make(chan error)
	go func() {
		second, err := WaitLock(path)
		if err == nil && !free.Load() {
			err = errors.New("there were two at a time")
		}
		if err == nil {
			err = second.Unlock()
		}
		done <- err
	}()
	free.Store(true)
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
