package openid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/coreos/go-oidc/v3/oidc"
)

// mostAnswered is how many bytes of an answer are read. What an issuer publishes takes some thousands.
const mostAnswered = 1 << 20

// asking is the transport by which an issuer is asked what it publishes, and tells. Of an answer other than 200 nothing
// but the status goes on: the libraries repeat it in their errors, and an endpoint may be anything that the server
// reaches.
type asking struct {
	http.RoundTripper
	check func(body []byte) error // of an answer; nil: none
}

// by returns a client that asks as another one does, which has a transport of its own.
func (a asking) by(client *http.Client) *http.Client {
	out := *client
	a.RoundTripper = client.Transport
	out.Transport = a
	return &out
}

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body := response.Body
	if response.StatusCode == http.StatusOK && a.check == nil {
		response.Body = bounded{io.LimitReader(body, mostAnswered), body}
		return response, nil
	}
	defer func() { _ = body.Close() }()
	switch {
	case response.StatusCode == http.StatusOK:
		content, err := io.ReadAll(io.LimitReader(body, mostAnswered))
		if err == nil {
			err = a.check(content)
		}
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(content))
		return response, nil
	case response.StatusCode/100 == 3: // whether it is followed the client decides
		response.Body = http.NoBody
		return response, nil
	}
	return nil, fmt.Errorf("the answer is %d %s", response.StatusCode, http.StatusText(response.StatusCode))
}

type bounded struct {
	io.Reader
	io.Closer
}

// areKeys refuses what is no set of keys (RFC 7517, section 5).
func areKeys(body []byte) error {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) != nil || set.Keys == nil {
		return errors.New("the answer is no set of keys")
	}
	return nil
}

// unasked is why an issuer could not be asked, without anything that it answered; nil: it was.
func unasked(err error) error {
	if fault, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%w: %w", ErrUnreachable, fault)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// signature verifies the signature of one token by the keys of its issuer, and keeps why these could not be asked for,
// of which the library tells in words alone.
type signature struct {
	keys    oidc.KeySet
	unasked error
}

func (s *signature) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := s.keys.VerifySignature(ctx, token)
	if err == nil {
		return payload, nil
	}
	if s.unasked = unasked(err); s.unasked != nil {
		return nil, s.unasked
	}
	return nil, errors.New("no key of the issuer signed it")
}

// fault is why a token was not taken.
func (s *signature) fault(err error) error {
	if s.unasked != nil {
		return s.unasked
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}
