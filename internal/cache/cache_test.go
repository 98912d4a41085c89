package cache

import (
	"sync"
	"testing"

	"signet/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Clear(); m.Run() }

func (c *Cache[K, V]) wantKnown(t *testing.T, key K, want bool) {
	t.Helper()
	if _, known := c.Get(key); known != want {
		t.Errorf("%v: known is %t, want %t", key, known, want)
	}
}

func TestWhatIsPutIsKnownUntilItIsForgotten(t *testing.T) {
	c := New[string, int](100)
	c.Put(c.Version(), "a", 1, 1)
	c.Put(c.Version(), "b", 2, 1)
	c.Put(c.Version(), "a", 3, 1)
	if v, ok := c.Get("a"); v != 3 || !ok {
		t.Errorf("got %d, %t, want the last value", v, ok)
	}
	c.Forget("a", "unknown")
	c.wantKnown(t, "a", false)
	c.wantKnown(t, "b", true)
	c.Age()
	c.Put(c.Version(), "c", 4, 1)
	c.ForgetFunc(func(key string, value int) bool { return key == "b" && value == 2 })
	c.wantKnown(t, "b", false)
	c.wantKnown(t, "c", true)
	c.ForgetAll()
	c.wantKnown(t, "c", false)
}

func TestAReadingThatBeganBeforeAForgetIsNotPut(t *testing.T) {
	for name, forget := range map[string]func(*Cache[string, int]){
		"of the key":     func(c *Cache[string, int]) { c.Forget("a") },
		"of another key": func(c *Cache[string, int]) { c.Forget("b") }, // which of them it read is not known
		"of no key":      func(c *Cache[string, int]) { c.Forget() },
		"of all":         (*Cache[string, int]).ForgetAll,
		"of none":        func(c *Cache[string, int]) { c.ForgetFunc(func(string, int) bool { return false }) },
	} {
		t.Run(name, func(t *testing.T) {
			c := New[string, int](100)
			before := c.Version()
			forget(c)
			c.Put(before, "a", 1, 1)
			c.wantKnown(t, "a", false)
			c.Put(c.Version(), "a", 1, 1)
			c.wantKnown(t, "a", true)
		})
	}
}

func TestAgeForgetsWhatWasPutBeforeTheLastOne(t *testing.T) {
	c := New[string, int](100)
	c.Put(c.Version(), "a", 1, 1)
	c.Age()
	c.wantKnown(t, "a", true)
	c.Put(c.Version(), "b", 1, 1)
	c.Age()
	c.wantKnown(t, "a", false)
	c.wantKnown(t, "b", true)
}

func TestACacheIsBounded(t *testing.T) {
	const most, weight = 1000, 10
	c := New[int, int](most)
	for n := range 10_000 {
		c.Put(c.Version(), n, n, weight)
		c.Put(c.Version(), n, n, weight) // weighs nothing more
		c.wantKnown(t, n, true)
		if kept := (len(c.young) + len(c.old)) * weight; kept > most {
			t.Fatalf("values of a weight of %d are kept, want at most %d", kept, most)
		}
	}
}

func TestACacheIsForManyAtATime(t *testing.T) {
	c := New[int, int](16)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 1000 {
				version := c.Version()
				c.Put(version, i%32, n, 1)
				c.Get(i % 32)
				switch i % 100 {
				case 0:
					c.Forget(i % 32)
				case 50:
					c.Age()
				case 99:
					c.ForgetAll()
				}
			}
		})
	}
	all.Wait()
}
