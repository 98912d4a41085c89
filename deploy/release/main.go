package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// platforms are those that there is a program for. Packages and images are for those of
// Linux.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

const usage = `usage: release build [-out DIR] [-key FILE] [-platforms LIST] ROOT
       release check DIR
       release unpack IMAGE PLATFORM DIR`

func main() {
	err := run(os.Args[1:])
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("the command line is wrong")

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	switch rest := args[1:]; args[0] {
	case "build":
		return runBuild(rest)
	case "check":
		if len(rest) != 1 {
			return errUsage
		}
		if err := check(rest[0]); err != nil {
			return err
		}
		fmt.Printf("%s is as its checksums say\n", rest[0])
		return nil
	case "unpack":
		if len(rest) != 3 {
			return errUsage
		}
		return unpack(rest[0], rest[1], rest[2])
	}
	return errUsage
}

func runBuild(args []string) error {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	out := flags.String("out", "bin/release", "directory that the files go to, in place of a release that is there")
	key := flags.String("key", "", "OpenSSH key that signs the checksums: a private key, or a public one of an agent")
	only := flags.String("platforms", strings.Join(platforms, ","), "for which to build, separated by commas")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		return errUsage
	}
	r, err := newRelease(flags.Arg(0), *out, strings.Split(*only, ","))
	if r != nil {
		defer r.close()
	}
	if err != nil {
		return err
	}
	if err := r.make(*key); err != nil {
		return err
	}
	fmt.Printf("%s is in %s\n", r.version, r.out)
	return nil
}
