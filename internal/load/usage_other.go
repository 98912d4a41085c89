//go:build !linux

package load

// What processes use is read from /proc, which only Linux has in this form.

// Running reports whether there is a process of that number whose use can be read.
func Running(int) bool { return false }

// ConsumptionOf returns nothing here.
func ConsumptionOf(int) Consumption { return Consumption{} }

// ConsumptionOfTree returns nothing here.
func ConsumptionOfTree(int) Consumption { return Consumption{} }

func ownConsumption() Consumption { return Consumption{} }
