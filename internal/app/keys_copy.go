package app

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"signet/internal/home"
	"signet/internal/seal"
)

// topicRingCopy is the warning of a copy of the key ring that has not all of it.
const topicRingCopy = "keyring_copy"

// ringCopyPatience is how long a start waits for the copy.
const ringCopyPatience = 5 * time.Second

// ringCopy is the copy of the key ring that the setting keyring.copy names, if it does,
// with what the operator is told of it.
type ringCopy struct {
	*seal.Copied
	in surroundings
	up prometheus.Gauge
}

func newRingCopy(in surroundings) (*ringCopy, error) {
	c := &ringCopy{in: in, up: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "signet_keyring_copy_up",
		Help: "1 when the copy of the key ring holds all that the ring does, 0 when not.",
	})}
	if in.cfg.KeyringCopy == "" {
		return c, nil
	}
	return c, in.metrics.Register(c.up)
}

// wrap returns the key ring's storage with the copy, if one is configured.
func (c *ringCopy) wrap(ring seal.Storage) seal.Storage {
	if c.in.cfg.KeyringCopy == "" {
		return ring
	}
	c.Copied = seal.WithCopy(ring, func(ctx context.Context) (seal.Storage, error) {
		return home.Keyring(ctx, c.in.cfg.KeyringCopy, c.in.dir, false)
	})
	return c.Copied
}

// begin makes the copy what the ring is. It refuses that of another ring or installation;
// one that is away catches up later.
func (c *ringCopy) begin(ctx context.Context) error {
	if c.Copied == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ringCopyPatience)
	defer cancel()
	err := c.CatchUp(ctx)
	if errors.As(err, new(*seal.Stranger)) {
		return err
	}
	c.tell(err)
	return nil
}

func (c *ringCopy) tell(err error) {
	var extra *seal.Extra
	switch {
	case err == nil:
		c.up.Set(1)
		c.in.warnings.Clear(topicRingCopy)
		return
	case errors.As(err, &extra):
		c.in.warnings.Set(topicRingCopy, "the copy of the key ring (keyring.copy) holds keys that the ring lacks, so that "+
			"the ring is an older one: take them over with \"signet keys import\" from there")
	default:
		c.in.warnings.Set(topicRingCopy, "the copy of the key ring (keyring.copy) has not all that the ring has; the "+
			"server goes on, and the copy catches up when it is there again: until then the loss of the ring is the loss of "+
			"what is missing in the copy")
	}
	c.up.Set(0)
	c.in.log.Warn("the copy of the key ring has not all of it", "error", err)
}

// run keeps the copy what the ring is, until ctx ends.
func (c *ringCopy) run(ctx context.Context) {
	if c.Copied == nil {
		return
	}
	said := ""
	c.Run(ctx, func(err error) {
		if err != nil && err.Error() == said {
			return // once for each reason
		}
		if said = ""; err != nil {
			said = err.Error()
		}
		c.tell(err)
	})
}
