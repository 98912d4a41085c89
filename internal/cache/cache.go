// Package cache remembers what was read of the store, or written to it, so that it
// need not be read again.
//
// It owns the one rule that keeps such a memory right: what was read before something
// was forgotten is not put back after. It does not know what is remembered, nor for
// how long it may be relied on.
package cache

import (
	"maps"
	"sync"
)

// Cache remembers values by their keys. It is safe for concurrent use.
//
// It is bounded by two generations: a value is put into the young one, and when that is
// full it becomes the old one, whose values are gone. That needs no list of uses.
type Cache[K comparable, V any] struct {
	most int // of a generation

	mu         sync.RWMutex // guards all below
	young, old map[K]V
	weight     int // of the young generation
	version    Version
}

// Version tells what was remembered from what was forgotten: every Forget raises it.
type Version uint64

// New returns an empty cache. The values of both generations weigh at most so much
// together, and one more; the unit is that of Put.
func New[K comparable, V any](most int) *Cache[K, V] {
	return &Cache[K, V]{most: most / 2, young: map[K]V{}}
}

// Version is asked for before a reading begins whose outcome is put into the cache.
func (c *Cache[K, V]) Version() Version {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// Get returns the value of a key, if it is remembered.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if value, ok = c.young[key]; !ok {
		value, ok = c.old[key]
	}
	return value, ok
}

// Put remembers a value, unless something was forgotten since the version was asked
// for: the value may be what was to be forgotten.
func (c *Cache[K, V]) Put(version Version, key K, value V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return
	}
	if _, known := c.young[key]; !known {
		if c.weight >= c.most {
			c.turn()
		}
		c.weight += weight
	}
	c.young[key] = value
}

// Age forgets what was put before the last call.
func (c *Cache[K, V]) Age() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.young)+len(c.old) > 0 {
		c.turn()
	}
}

// Forget drops the values of some keys.
func (c *Cache[K, V]) Forget(keys ...K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	for _, key := range keys {
		delete(c.young, key)
		delete(c.old, key)
	}
}

// ForgetFunc drops the values for which gone returns true; it looks at all of them.
func (c *Cache[K, V]) ForgetFunc(gone func(key K, value V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	maps.DeleteFunc(c.young, gone)
	maps.DeleteFunc(c.old, gone)
}

// ForgetAll drops everything, and gives back the memory.
func (c *Cache[K, V]) ForgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	c.turn()
	c.old = nil
}

// turn begins a new generation. New maps give the memory of the old ones back.
func (c *Cache[K, V]) turn() { c.young, c.old, c.weight = map[K]V{}, c.young, 0 }
