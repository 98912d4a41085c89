//go:build !linux

package load

// What processes use is read from /proc, which only Linux has in this form.

// Running reports whether there is a process of that number whose use can be read.
func Running(int) bool { return false }

func consumptionOf(int) consumption     { return consumption{} }
func consumptionOfTree(int) consumption { return consumption{} }
func ownConsumption() consumption       { return consumption{} }
