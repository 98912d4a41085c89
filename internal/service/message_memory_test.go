package service

import (
	"encoding/binary"
	"testing"

	"signet/internal/seal"
	"signet/internal/store"
	"signet/internal/testenv"
)

func sealedRow(n int, size int) *store.MessageRow {
	row := &store.MessageRow{Sealed: append([]byte{seal.Form}, make([]byte, size)...)}
	binary.BigEndian.PutUint64(row.ID[:], uint64(n)+1)
	return row
}

func TestRememberedMessages(t *testing.T) {
	testenv.Long(t)
	t.Run("are_known_for_two_sweeps", func(t *testing.T) {
		m, row := newMessageMemory(), sealedRow(1, 10)
		m.reading().learn(row)
		for range 2 {
			if got := m.reading().Known(row.ID); got != row {
				t.Fatalf("got %v, want the message", got)
			}
			m.Age()
		}
		if got := m.reading().Known(row.ID); got != nil {
			t.Errorf("got %v after two sweeps", got)
		}
	})
	t.Run("are_gone_when_they_are_recalled", func(t *testing.T) {
		m := newMessageMemory()
		for n := range 4 {
			m.reading().learn(sealedRow(n, 10))
			if n == 1 {
				m.Age()
			}
		}
		m.Forget(sealedRow(0, 0).ID, sealedRow(2, 0).ID)
		for n := range 4 {
			if known := m.reading().Known(sealedRow(n, 0).ID) != nil; known != (n%2 == 1) {
				t.Errorf("message %d: known is %t", n, known)
			}
		}
		m.ForgetAll()
		for n := range 4 {
			if m.reading().Known(sealedRow(n, 0).ID) != nil {
				t.Errorf("message %d is left of all", n)
			}
		}
	})
	t.Run("do_not_come_back_by_a_reading_that_began_before", func(t *testing.T) {
		m, row := newMessageMemory(), sealedRow(1, 10)
		before := m.reading()
		m.Forget(row.ID)
		before.learn(row)
		if m.reading().Known(row.ID) != nil {
			t.Error("what was read before a recall is remembered after it")
		}
		m.reading().learn(row)
		if m.reading().Known(row.ID) == nil {
			t.Error("what was read after it is not")
		}
	})
	t.Run("are_none_that_go_when_they_were_read", func(t *testing.T) {
		m, row := newMessageMemory(), sealedRow(1, 10)
		row.DOR = true
		m.reading().learn(row)
		if m.reading().Known(row.ID) != nil {
			t.Error("it is remembered")
		}
	})
	t.Run("take_no_more_than_so_many_bytes", func(t *testing.T) {
		m := newMessageMemory()
		const size = 100 << 10
		for n := range 1000 {
			m.reading().learn(sealedRow(n, size))
			m.reading().learn(sealedRow(n, size)) // which takes nothing
		}
		known := 0
		for n := range 1000 {
			if m.reading().Known(sealedRow(n, 0).ID) != nil {
				known++
			}
		}
		if most := memorySize/size + 2; known > most {
			t.Errorf("%d messages are remembered, want at most %d", known, most)
		}
		if m.reading().Known(sealedRow(999, 0).ID) == nil {
			t.Error("the last one is not among them")
		}
	})
}
