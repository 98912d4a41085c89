package cli

import (
	"errors"
	"strings"
)

// movedBench tells those who know the load generator as a command where it is now.
type movedBench struct {
	Args []string `arg:"" optional:""`
}

func (b *movedBench) Run() error {
	return wrongConfiguration{errors.New("the load generator is a program of its own: " +
		strings.Join(append([]string{"signet-bench"}, b.Args...), " "))}
}
