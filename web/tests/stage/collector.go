package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// collector stands for a test where what helps tests is used. It keeps what it is told.
type collector struct {
	testing.TB // nil: what is not here is not called
	dir        string

	mu       sync.Mutex // guards what follows
	told     []string
	cleanups []func()
}

// failure is the panic by which Fatal ends a call, where it would end a test.
type failure struct{ error }

func (c *collector) Helper() {}

// Fail is called once so much was told that the rest is left out.
func (c *collector) Fail() { c.Errorf("and more of the kind") }

func (c *collector) Cleanup(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleanups = append(c.cleanups, f)
}

func (c *collector) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

func (c *collector) Fatal(args ...any) { panic(failure{errors.New(fmt.Sprint(args...))}) }

func (c *collector) Fatalf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func (c *collector) TempDir() string {
	dir, err := os.MkdirTemp(c.dir, "")
	if err != nil {
		c.Fatal(err)
	}
	return dir
}

// try calls what ends a test where it fails.
func (c *collector) try(do func()) (err error) {
	defer func() {
		switch met := recover().(type) {
		case nil:
		case failure:
			err = met.error
		default:
			panic(met)
		}
	}()
	do()
	return nil
}

// take returns what was told since the last time.
func (c *collector) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	told := append([]string{}, c.told...)
	c.told = nil
	return told
}

// end does what is to be done at the end of a test.
func (c *collector) end() (err error) {
	for i := len(c.cleanups) - 1; i >= 0; i-- {
		err = errors.Join(err, c.try(c.cleanups[i]))
	}
	return err
}
