package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// request is one line that is read. One of its fields is set, but for At.
type request struct {
	Rules    []string `json:"rules"`    // files of rules to evaluate from now on
	Scrape   *scrape  `json:"scrape"`   // a scrape to store
	Evaluate bool     `json:"evaluate"` // evaluate all rules at the time At
	Query    string   `json:"query"`    // an expression to evaluate at the time At
	Parse    string   `json:"parse"`    // an expression to take apart
	Config   string   `json:"config"`   // a configuration of Prometheus to read
	Board    string   `json:"board"`    // a board of Grafana to read

	At int64 `json:"at"` // in milliseconds since 1970
}

// response answers a request.
type response struct {
	Error  string        `json:"error,omitempty"`
	Alerts []activeAlert `json:"alerts,omitempty"` // of Evaluate: those that are pending or firing
	Values []float64     `json:"values,omitempty"` // of Query: one for each series of its result
	Parsed *expression   `json:"parsed,omitempty"` // of Parse
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "evaluator:", err)
		os.Exit(1)
	}
}

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer) (err error) {
	e, err := newEvaluator()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	requests, responses := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var q request
		if err := requests.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := e.answer(context.Background(), &q)
		if err != nil {
			answer.Error = err.Error()
		}
		if err := responses.Encode(answer); err != nil {
			return err
		}
	}
}

// answer does what a request asks for.
func (e *evaluator) answer(ctx context.Context, q *request) (r response, err error) {
	switch {
	case q.Rules != nil:
		err = e.load(q.Rules)
	case q.Scrape != nil:
		err = e.store(ctx, q.Scrape, q.At)
	case q.Evaluate:
		r.Alerts, err = e.evaluate(ctx, q.At)
	case q.Query != "":
		r.Values, err = e.query(ctx, q.Query, q.At)
	case q.Parse != "":
		r.Parsed, err = parse(q.Parse)
	case q.Config != "":
		err = readConfig(q.Config)
	case q.Board != "":
		err = readBoard(q.Board)
	default:
		err = errors.New("the request asks for nothing")
	}
	return r, err
}
