package api

import (
	"context"
	"strings"

	"signet/internal/api/input"
	"signet/internal/api/wire"
	"signet/internal/model"
	"signet/internal/service"
)

// stepFields is how many names and values a step has at most.
const stepFields = 16

// escalateField reads how a message is to be sent on: steps, or the name of a policy. It is nil where the
// caller asks for nothing of the kind.
func escalateField(f *input.Fields) *service.EscalateCommand {
	given := f.Values("escalate")
	command := service.EscalateCommand{Until: f.Text("escalate_until")}
	switch {
	case len(given) == 0 || given[0] == "":
		if command.Until == "" {
			return nil
		}
	case strings.HasPrefix(strings.TrimSpace(given[0]), "[") || strings.HasPrefix(strings.TrimSpace(given[0]), "{"):
		command.Steps = stepsField(f, "escalate")
	default:
		command.Policy = f.Text("escalate")
	}
	return &command
}

// stepsField reads steps. Of more than an escalation may have it reads one more.
func stepsField(f *input.Fields, name string) []model.AskedStep {
	objects := f.Objects(name, model.MaxEscalationSteps, stepFields)
	steps := make([]model.AskedStep, len(objects))
	for i := range objects {
		step := &objects[i]
		steps[i] = model.AskedStep{After: step.Int("after"), To: step.List("to")}
		if step.Err() != nil {
			f.Wrong(name, "a list of steps, each with `after`, a number of minutes, and `to`, a list of addresses")
			return nil
		}
	}
	return steps
}

// getEscalation: GET /message/:message/escalation.
func (a *API) getEscalation(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	e, err := a.service.Escalation(ctx, c.actor, id)
	if err != nil {
		return answer{}, err
	}
	return reply(wire.ShownEscalation(&e)), nil
}

// cancelEscalation: DELETE /message/:message/escalation.
func (a *API) cancelEscalation(ctx context.Context, c *call) (answer, error) {
	id, err := c.messageID()
	if err != nil {
		return answer{}, err
	}
	return noContent(), a.service.CancelEscalation(ctx, c.actor, id)
}

// listPolicies: GET /organization/:organization/escalation.
func (a *API) listPolicies(ctx context.Context, c *call) (answer, error) {
	policies, err := a.service.Policies(ctx, c.actor, c.organizationPath())
	if err != nil {
		return answer{}, err
	}
	out := make([]wire.Policy, len(policies))
	for i := range policies {
		out[i] = wire.ShownPolicy(&policies[i])
	}
	return reply(out), nil
}

// getPolicy: GET /organization/:organization/escalation/:name.
func (a *API) getPolicy(ctx context.Context, c *call) (answer, error) {
	p, err := a.service.Policy(ctx, c.actor, c.organizationPath(), c.path("name"))
	if err != nil {
		return answer{}, err
	}
	return reply(wire.ShownPolicy(&p)), nil
}

// setPolicy: POST /organization/:organization/escalation/:name.
func (a *API) setPolicy(ctx context.Context, c *call) (answer, error) {
	f := &c.body.Fields
	command := service.PolicyCommand{Organization: c.organizationPath(), Name: c.path("name"), Until: f.Text("until"),
		Steps: stepsField(f, "steps")}
	if err := c.err(); err != nil {
		return answer{}, err
	}
	a.charge(c, costOfSteps(command.Steps))
	return noContent(), a.service.SetPolicy(ctx, c.actor, command)
}

// removePolicy: DELETE /organization/:organization/escalation/:name.
func (a *API) removePolicy(ctx context.Context, c *call) (answer, error) {
	return noContent(), a.service.RemovePolicy(ctx, c.actor, c.organizationPath(), c.path("name"))
}
