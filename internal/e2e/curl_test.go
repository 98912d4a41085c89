package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// asCurl in its environment makes the test binary be curl, as far as the README
// uses it: what builds and tests the server need not have the real one.
const asCurl = "SIGNET_TEST_CURL"

// The exit codes of curl.
const (
	curlDone    = 0
	curlUsage   = 2
	curlFailed  = 7
	curlTimeout = 28
)

// curl carries out a command line of curl.
func curl(args []string, stdout, stderr io.Writer) int {
	c := curlCall{header: http.Header{}}
	if err := c.parse(args); err != nil {
		fmt.Fprintln(stderr, "curl:", err)
		return curlUsage
	}
	ctx := context.Background()
	if c.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	err := c.run(ctx, stdout)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return curlTimeout
	case err != nil:
		fmt.Fprintln(stderr, "curl:", err)
		return curlFailed
	}
	return curlDone
}

// curlCall is what a command line asks for.
type curlCall struct {
	url, body string
	withHead  bool
	user      string
	header    http.Header
	limit     time.Duration
}

// parse reads a command line in which each value is a word of its own.
func (c *curlCall) parse(args []string) error {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		flags, isFlag := strings.CutPrefix(arg, "-")
		if !isFlag {
			c.url = arg
			continue
		}
		for _, flag := range flags {
			value := ""
			if strings.ContainsRune("uHdm", flag) {
				if len(args) == 0 {
					return fmt.Errorf("-%c needs a value", flag)
				}
				value, args = args[0], args[1:]
			}
			if err := c.set(flag, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *curlCall) set(flag rune, value string) error {
	switch flag {
	case 's', 'N': // it never shows progress, and never holds back
	case 'i':
		c.withHead = true
	case 'u':
		c.user = value
	case 'H':
		name, text, _ := strings.Cut(value, ":")
		c.header.Set(name, strings.TrimSpace(text))
	case 'd':
		c.body = value
	case 'm':
		seconds, err := strconv.ParseFloat(value, 64)
		c.limit = time.Duration(seconds * float64(time.Second))
		return err
	default:
		return fmt.Errorf("this is no real curl and does not know -%c", flag)
	}
	return nil
}

func (c *curlCall) run(ctx context.Context, stdout io.Writer) error {
	method := http.MethodGet
	if c.body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(c.body))
	if err != nil {
		return err
	}
	r.Header = c.header
	if key, secret, found := strings.Cut(c.user, ":"); found {
		r.SetBasicAuth(key, secret)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if c.withHead {
		fmt.Fprintf(stdout, "%s %s\r\n", answer.Proto, answer.Status)
		if err := answer.Header.Write(stdout); err != nil {
			return err
		}
		fmt.Fprint(stdout, "\r\n")
	}
	_, err = io.Copy(stdout, answer.Body)
	return err
}
