package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"signet/client"
)

type escalationCommands struct {
	Show   escalationShowCommand   `cmd:"" help:"Show how far the escalation of a message has come." note:"For the sender of the message." example:"signet escalation show 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Cancel escalationCancelCommand `cmd:"" help:"End the escalation of a message." note:"What its steps have sent stays." example:"signet escalation cancel 019aa5b2-6c1e-7d3f-9a40-5f2c8b1e7d60"`
	Policy policyCommands          `cmd:"" help:"List, show, set and remove the escalation policies of an organization."`
}

type policyCommands struct {
	List   policyListCommand   `cmd:"" help:"List the policies of an organization." note:"For its members." example:"signet escalation policy list Hq3nVt0cXz8Lw2RbKd5mYp7A"`
	Show   policyShowCommand   `cmd:"" help:"Show a policy." note:"For the members of the organization." example:"signet escalation policy show Hq3nVt0cXz8Lw2RbKd5mYp7A night"`
	Set    policySetCommand    `cmd:"" help:"Set a policy, in place of one of the same name." note:"For administrators of the organization." example:"signet escalation policy set Hq3nVt0cXz8Lw2RbKd5mYp7A night 5m:bob@example.com 15m:carol@example.com,dave@example.com --until confirmed"`
	Remove policyRemoveCommand `cmd:"" help:"Remove a policy." note:"Messages that were sent with it go on as they were asked for." example:"signet escalation policy remove Hq3nVt0cXz8Lw2RbKd5mYp7A night"`
}

// escalationStep is a step as it is written on the command line: 10m:bob@example.com,carol.
type escalationStep client.EscalateStep

// UnmarshalText reads a step.
func (s *escalationStep) UnmarshalText(text []byte) error {
	after, to, found := strings.Cut(string(text), ":")
	if !found {
		return fmt.Errorf("%q is no step: it is a time, a colon, and addresses with commas between, such as 10m:bob", text)
	}
	var minutes lifetime
	if err := minutes.UnmarshalText([]byte(after)); err != nil {
		return fmt.Errorf("%q: %w", text, err)
	}
	s.After = int(minutes)
	for _, address := range strings.Split(to, ",") {
		if address = strings.TrimSpace(address); address != "" {
			s.To = append(s.To, address)
		}
	}
	return nil
}

// escalateAs reads how a message is to be sent on: steps, or the name of a policy.
func escalateAs(message *client.Outgoing, given []string) error {
	if len(given) == 1 && !strings.Contains(given[0], ":") {
		message.EscalatePolicy = given[0]
		return nil
	}
	for _, text := range given {
		var step escalationStep
		if err := step.UnmarshalText([]byte(text)); err != nil {
			return wrongConfiguration{err}
		}
		message.Escalate = append(message.Escalate, client.EscalateStep(step))
	}
	return nil
}

// escalateSteps are steps for the client.
func escalateSteps(steps []escalationStep) (out []client.EscalateStep) {
	for _, step := range steps {
		out = append(out, client.EscalateStep(step))
	}
	return out
}

type escalationShowCommand struct{ oneMessage }

func (e *escalationShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	escalation, err := c.Escalation(ctx, e.Message)
	return show(con, escalation, err, func(escalation *client.Escalation) []string {
		lines := []string{cells("until", escalation.Until), cells("state", escalation.State),
			cells("ended", moment(escalation.EndedTime))}
		for _, step := range escalation.Steps {
			lines = append(lines, cells("step "+strconv.Itoa(step.Step), "after "+count(step.After, "minute", "minutes"),
				moment(step.DueTime), "done "+moment(step.DoneTime), strings.Join(step.To, " ")))
			for _, sent := range step.Sent {
				lines = append(lines, cells("sent", sent.Token, sent.MessageID))
			}
		}
		return lines
	})
}

type escalationCancelCommand struct{ oneMessage }

func (e *escalationCancelCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.CancelEscalation(ctx, e.Message)
}

// ofOrganization names an organization.
type ofOrganization struct {
	access
	Organization string `arg:"" help:"Token of the organization."`
}

// onePolicy names a policy.
type onePolicy struct {
	ofOrganization
	Name string `arg:"" help:"Name of the policy."`
}

type policyListCommand struct{ ofOrganization }

func (p *policyListCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	all, err := c.EscalationPolicies(ctx, p.Organization)
	return table(con, all, err, "", func(policy client.EscalationPolicy) string {
		return cells(policy.Name, "until "+policy.Until, count(len(policy.Steps), "step", "steps"))
	})
}

type policyShowCommand struct{ onePolicy }

func (p *policyShowCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	policy, err := c.EscalationPolicy(ctx, p.Organization, p.Name)
	return show(con, policy, err, func(policy *client.EscalationPolicy) []string {
		lines := []string{cells("name", policy.Name), cells("until", policy.Until)}
		for i, step := range policy.Steps {
			lines = append(lines, cells("step "+strconv.Itoa(i+1), "after "+count(step.After, "minute", "minutes"),
				strings.Join(step.To, " ")))
		}
		return lines
	})
}

type policySetCommand struct {
	onePolicy
	Steps []escalationStep `arg:"" name:"step" help:"Each step: minutes, or a time such as 10m, from the sending of a message; a colon; and to whom, with commas between."`
	Until string           `enum:"read,confirmed" default:"read" placeholder:"STATUS" help:"What ends it: that somebody has read the message, or has confirmed it: read (default) or confirmed."`
}

func (p *policySetCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.SetEscalationPolicy(ctx, p.Organization,
		client.EscalationPolicy{Name: p.Name, Until: p.Until, Steps: escalateSteps(p.Steps)})
}

type policyRemoveCommand struct{ onePolicy }

func (p *policyRemoveCommand) Run(ctx context.Context, con *console, c *client.Client) error {
	return c.RemoveEscalationPolicy(ctx, p.Organization, p.Name)
}
