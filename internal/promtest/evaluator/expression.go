package main

import (
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// expression is what an expression asks for.
type expression struct {
	Selectors []selector `json:"selectors"`
	Grouping  []string   `json:"grouping"` // labels by which it groups or joins
}

// selector is a choice of series.
type selector struct {
	Metric string            `json:"metric"`
	Labels map[string]string `json:"labels"` // name and value, where that is to be equal; else ""
}

// parse takes an expression apart.
func parse(text string) (*expression, error) {
	parsed, err := newParser().ParseExpr(text)
	if err != nil {
		return nil, err
	}
	out := &expression{}
	group := func(names []string) {
		for _, name := range names {
			if !slices.Contains(out.Grouping, name) {
				out.Grouping = append(out.Grouping, name)
			}
		}
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			s := selector{Metric: n.Name, Labels: map[string]string{}}
			for _, m := range n.LabelMatchers {
				switch {
				case m.Name == labels.MetricName:
					s.Metric = m.Value
				case m.Type == labels.MatchEqual:
					s.Labels[m.Name] = m.Value
				default:
					s.Labels[m.Name] = ""
				}
			}
			out.Selectors = append(out.Selectors, s)
		case *parser.AggregateExpr:
			group(n.Grouping)
		case *parser.BinaryExpr:
			if n.VectorMatching != nil {
				group(n.VectorMatching.MatchingLabels)
				group(n.VectorMatching.Include)
			}
		}
		return nil
	})
	return out, nil
}
