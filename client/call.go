package client

import (
	"context"
	"net/http"
	"net/url"
)

func get(path ...string) *request {
	return &request{method: http.MethodGet, path: path, repeat: always}
}

func remove(path ...string) *request {
	return &request{method: http.MethodDelete, path: path, repeat: always}
}

func post(body any, path ...string) *request {
	return &request{method: http.MethodPost, path: path, body: body}
}

// with sets a query parameter unless its value is empty.
func (r *request) with(name, value string) *request {
	if value == "" {
		return r
	}
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set(name, value)
	return r
}

// when sets a query parameter to true if set is.
func (r *request) when(name string, set bool) *request {
	if !set {
		return r
	}
	return r.with(name, "true")
}

// set sets a header unless its value is empty.
func (r *request) set(name, value string) *request {
	if value == "" {
		return r
	}
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(name, value)
	return r
}

// harmless marks a call that has the same effect when it is made twice.
func (r *request) harmless() *request {
	r.repeat = always
	return r
}

// fetch makes a call and returns its reply, a T.
func fetch[T any](ctx context.Context, c *Client, r *request) (*T, error) {
	var out T
	if _, err := c.do(ctx, r, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// list makes a call and returns its reply, an array.
func list[T any](ctx context.Context, c *Client, r *request) ([]T, error) {
	var out []T
	if _, err := c.do(ctx, r, &out); err != nil {
		return nil, err
	}
	return out, nil
}

// run makes a call that has no reply.
func (c *Client) run(ctx context.Context, r *request) error {
	_, err := c.do(ctx, r, nil)
	return err
}
