//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package handover

import (
	"context"
	"errors"
	"net"
	"time"
)

// Such systems pass no descriptors on: no conversation begins.

type file = struct{}

type conveyed = struct{}

func closeAll([]file) {}

type wire struct{}

func (*wire) close() error                        { return nil }
func (*wire) bind(context.Context) func()         { return func() {} }
func (*wire) setPatience(time.Duration) error     { return nil }
func (*wire) send(message, ...conveyed) error     { return errors.ErrUnsupported }
func (*wire) receive() (message, []file, error)   { return message{}, nil, errors.ErrUnsupported }
func dial(context.Context, string) (*wire, error) { return nil, errors.ErrUnsupported }
func listenerOf(file) (net.Listener, error)       { return nil, errors.ErrUnsupported }
func connOf(file) (net.Conn, error)               { return nil, errors.ErrUnsupported }
func descriptor(any) (conveyed, error)            { return conveyed{}, errors.ErrUnsupported }

// Door is where a running server listens for who takes its place: nowhere here.
type Door struct{}

// Open answers errors.ErrUnsupported.
func Open(string) (*Door, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Door) Close() error { return nil }

func (*Door) accept() (*wire, error) { return nil, errors.ErrUnsupported }
