//go:build !linux

package load

import "time"

// What processes use is read from /proc, which only Linux has in this form.

// Running reports whether a process with this id exists and can be measured.
func Running(int) bool { return false }

// ConsumptionOf returns nothing here.
func ConsumptionOf(int) Consumption { return Consumption{} }

// ConsumptionOfTree returns nothing here.
func ConsumptionOfTree(int) Consumption { return Consumption{} }

// CPUOfTree is not known here.
func CPUOfTree(int) time.Duration { return 0 }

func ownConsumption() Consumption { return Consumption{} }
