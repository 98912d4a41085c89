package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
)

// evaluator stores scrapes, and evaluates rules.
type evaluator struct {
	dir    string
	db     *tsdb.DB
	engine *promql.Engine
	groups []*rules.Group
	// last are the series of the last scrape of each target: those that the next one lacks are
	// marked as ended, as Prometheus does.
	last map[string]map[string]labels.Labels
}

func newEvaluator() (*evaluator, error) {
	dir, err := os.MkdirTemp("", "signet-evaluator-")
	if err != nil {
		return nil, err
	}
	options := tsdb.DefaultOptions()
	// As in Prometheus' own tests of rules: all stays in memory.
	options.MinBlockDuration = int64(24 * time.Hour / time.Millisecond)
	options.MaxBlockDuration = options.MinBlockDuration
	options.RetentionDuration = 0
	db, err := tsdb.Open(dir, nil, nil, options, tsdb.NewDBStats())
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 1e6, Timeout: time.Minute, EnableAtModifier: true, EnableNegativeOffset: true, Parser: newParser(),
		NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
	})
	return &evaluator{dir: dir, db: db, engine: engine, last: map[string]map[string]labels.Labels{}}, nil
}

func newParser() parser.Parser { return parser.NewParser(parser.Options{}) }

func (e *evaluator) close() error {
	return errors.Join(e.engine.Close(), e.db.Close(), os.RemoveAll(e.dir))
}

// scrape is what a target served at a time.
type scrape struct {
	Labels map[string]string `json:"labels"` // of the target: job, instance
	Text   string            `json:"text"`   // in Prometheus' text format
	Down   bool              `json:"down"`   // it did not answer
}

// store stores a scrape as Prometheus does: each series with the labels of the target, up, and a
// mark of staleness for each series that was there the last time.
func (e *evaluator) store(ctx context.Context, s *scrape, at int64) error {
	app := e.db.AppenderV2(ctx)
	target := labels.FromMap(s.Labels).String()
	now := map[string]labels.Labels{}
	err := e.append(app, s, at, now)
	for name, series := range e.last[target] {
		if _, still := now[name]; err == nil && !still {
			_, err = app.Append(0, series, 0, at, math.Float64frombits(value.StaleNaN), nil, nil, storage.AppendV2Options{})
		}
	}
	if err == nil {
		up := labels.NewBuilder(labels.FromMap(s.Labels)).Set(labels.MetricName, "up").Labels()
		answered := 1.0
		if s.Down {
			answered = 0
		}
		_, err = app.Append(0, up, 0, at, answered, nil, nil, storage.AppendV2Options{})
	}
	if err != nil {
		return errors.Join(err, app.Rollback())
	}
	e.last[target] = now
	return app.Commit()
}

// append appends the series of a scrape, and notes them.
func (e *evaluator) append(app storage.AppenderV2, s *scrape, at int64, noted map[string]labels.Labels) error {
	text := textparse.NewPromParser([]byte(s.Text), labels.NewSymbolTable(), false)
	for {
		entry, err := text.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a scrape: %w", err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, v := text.Series()
		var series labels.Labels
		text.Labels(&series)
		whole := labels.NewBuilder(series)
		for name, value := range s.Labels {
			whole.Set(name, value)
		}
		series = whole.Labels()
		if _, err := app.Append(0, series, 0, at, v, nil, nil, storage.AppendV2Options{}); err != nil {
			return fmt.Errorf("store %s: %w", series, err)
		}
		noted[series.String()] = series
	}
}

// query evaluates an expression, and returns the value of each series of its result.
func (e *evaluator) query(ctx context.Context, expression string, at int64) (values []float64, err error) {
	vector, err := rules.EngineQueryFunc(e.engine, e.db)(ctx, expression, time.UnixMilli(at))
	for _, sample := range vector {
		if math.IsNaN(sample.F) || math.IsInf(sample.F, 0) {
			sample.F = 0 // which JSON cannot say: nobody asks for more than whether there is a series
		}
		values = append(values, sample.F)
	}
	return values, err
}

// logger says nothing: what fails is answered.
var logger = promslog.NewNopLogger()
