package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/rules"
)

// activeAlert is an alert of one series whose condition holds.
type activeAlert struct {
	Name        string            `json:"name"`
	Firing      bool              `json:"firing"` // else its condition has not held for long enough
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"` // as they are sent, without templates
}

// load reads files of rules as strictly as "promtool check rules", in place of those before.
func (e *evaluator) load(files []string) error {
	for _, file := range files {
		if _, errs := rulefmt.ParseFile(file, false, model.UTF8Validation, newParser(), logger); len(errs) > 0 {
			return errors.Join(errs...)
		}
	}
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(e.engine, e.db), AppendableV2: e.db, Queryable: e.db,
		Context: context.Background(), Logger: logger, Parser: newParser(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
	})
	groups, errs := manager.LoadGroups(30*time.Second, labels.EmptyLabels(), "", nil, false, files...)
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	e.groups = nil
	// What is recorded comes before what asks for it, as it does in time where both are evaluated
	// again and again.
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		e.groups = append(e.groups, groups[name])
	}
	slices.SortStableFunc(e.groups, func(a, b *rules.Group) int { return len(a.AlertingRules()) - len(b.AlertingRules()) })
	return nil
}

// evaluate evaluates all rules, and returns the alerts that are pending or firing then.
func (e *evaluator) evaluate(ctx context.Context, at int64) (alerts []activeAlert, err error) {
	for _, group := range e.groups {
		group.Eval(ctx, time.UnixMilli(at))
		for _, rule := range group.Rules() {
			if fault := rule.LastError(); fault != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", rule.Name(), fault))
			}
		}
		for _, rule := range group.AlertingRules() {
			for _, alert := range rule.ActiveAlerts() {
				alerts = append(alerts, activeAlert{Name: rule.Name(), Firing: alert.State == rules.StateFiring,
					Labels: alert.Labels.Map(), Annotations: alert.Annotations.Map()})
			}
		}
	}
	return alerts, err
}

// readConfig reads a configuration as Prometheus does when it starts.
func readConfig(file string) error {
	_, err := config.LoadFile(file, false, logger)
	return err
}
