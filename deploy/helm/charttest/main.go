package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// request is what tests ask for: any of these, in this order.
type request struct {
	Chart     string            // directory of a chart
	Releases  []release         // each of which is rendered with it
	Kustomize []string          // directories whose kustomization is built
	Check     map[string]string // YAML by name, which Kubernetes has to take
	CRDs      string            // directory with the definitions of the Gateway API
}

// answer is what came of it. A test that gave something wrong gets its error in the place
// of the result.
type answer struct {
	Releases  []rendered
	Kustomize []rendered
	Check     map[string][]string // what Kubernetes would refuse, by name
}

func main() {
	var in request
	err := json.NewDecoder(os.Stdin).Decode(&in)
	if err == nil {
		var out answer
		if out, err = in.answer(); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (in request) answer() (out answer, err error) {
	for _, r := range in.Releases {
		out.Releases = append(out.Releases, r.render(in.Chart))
	}
	for _, dir := range in.Kustomize {
		out.Kustomize = append(out.Kustomize, build(dir))
	}
	if len(in.Check) == 0 {
		return out, nil
	}
	checker, err := newChecker(in.CRDs)
	if err != nil {
		return out, err
	}
	out.Check = make(map[string][]string)
	for name, text := range in.Check {
		out.Check[name] = checker.problems(text)
	}
	return out, nil
}
