package blob

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Open opens the store at a location, in the form of the setting "blobs":
//
//	dir:/path, or the path alone        a directory
//	s3://[KEY:SECRET@]BUCKET[?NAME=VALUE&...]  a bucket
//
// The parameters of a bucket are those of docs/operate/storage.md. The error does not repeat
// the location, which may hold a secret.
func Open(location string) (Store, error) {
	switch {
	case strings.HasPrefix(location, "s3://"):
		b, err := parseBucket(location)
		if err != nil {
			return nil, err
		}
		return openS3(b)
	case strings.Contains(location, "://"):
		return nil, errors.New("blobs are kept in a directory (dir:/path) or in a bucket (s3://...)")
	}
	return OpenDirectory(strings.TrimPrefix(location, "dir:"))
}

// At returns the store at a location as it is, or is not: it makes and removes nothing
// by itself, and Begin makes it.
func At(location string) (Store, error) {
	if strings.Contains(location, "://") {
		return Open(location)
	}
	return newDirectory(strings.TrimPrefix(location, "dir:")), nil
}

// OpenExisting opens a store that is there already, to read it.
func OpenExisting(location string) (Store, error) {
	s, err := At(location)
	if d, ok := s.(*Directory); ok {
		if _, err := os.Stat(d.root); err != nil {
			return nil, fmt.Errorf("open the directory of blobs: %w", err)
		}
	}
	return s, err
}

// bucket is where an S3 store is, and how it is spoken to.
type bucket struct {
	name      string
	endpoint  string // host, or host and port
	region    string // empty: the server is asked
	prefix    string // of every key
	lookup    string // "path", "host", or empty for what the endpoint is known to want
	insecure  bool   // plain HTTP
	uploads   int    // how many hold a part in memory at a time
	stall     time.Duration
	accessKey string // empty: from the environment
	secretKey string
}

const (
	defaultEndpoint = "s3.amazonaws.com"
	defaultUploads  = 32
)

var errLocation = errors.New("a bucket is named as s3://BUCKET?endpoint=HOST&region=REGION; " +
	"a key and a secret before the bucket (KEY:SECRET@) are percent-encoded: / is %2F, + is %2B")

// parseBucket reads the location of a bucket.
func parseBucket(location string) (bucket, error) {
	b := bucket{endpoint: defaultEndpoint, uploads: defaultUploads, stall: stallTimeout}
	u, err := url.Parse(location)
	if err != nil || u.Host == "" || u.Port() != "" || u.Fragment != "" {
		return b, errLocation
	}
	if u.Path != "" && u.Path != "/" {
		return b, errors.New("a bucket's location has no path: give the beginning of the keys as the parameter prefix")
	}
	b.name = u.Host
	if u.User != nil {
		b.accessKey = u.User.Username()
		b.secretKey, _ = u.User.Password()
		if b.accessKey == "" || b.secretKey == "" {
			return b, errLocation
		}
	}
	parameters, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return b, errLocation
	}
	for name, values := range parameters {
		if len(values) != 1 {
			return b, fmt.Errorf("parameter %q of the bucket is given twice", name)
		}
		if err := b.set(name, values[0]); err != nil {
			return b, err
		}
	}
	return b, nil
}

// set takes one parameter of a location.
func (b *bucket) set(name, value string) (err error) {
	switch name {
	case "endpoint":
		switch {
		case strings.HasPrefix(value, "http://"):
			b.insecure = true
			value = strings.TrimPrefix(value, "http://")
		case strings.HasPrefix(value, "https://"):
			value = strings.TrimPrefix(value, "https://")
		}
		b.endpoint = strings.TrimSuffix(value, "/")
		if b.endpoint == "" || strings.ContainsAny(b.endpoint, "/@?#") {
			return errors.New("the bucket's endpoint is HOST or HOST:PORT")
		}
	case "region":
		b.region = value
	case "prefix":
		b.prefix = strings.Trim(value, "/")
		if b.prefix != "" {
			b.prefix += "/"
		}
	case "path-style":
		path, err := flag(name, value)
		if err != nil {
			return err
		}
		if b.lookup = "host"; path {
			b.lookup = "path"
		}
	case "insecure":
		insecure, err := flag(name, value)
		if err != nil {
			return err
		}
		b.insecure = b.insecure || insecure
	case "uploads":
		if b.uploads, err = strconv.Atoi(value); err != nil || b.uploads < 1 || b.uploads > 10_000 {
			return errors.New("the bucket's uploads are a number from 1 to 10000")
		}
	default:
		return fmt.Errorf("a bucket has no parameter %q; there are endpoint, region, prefix, path-style, insecure and "+
			"uploads", name)
	}
	return nil
}

func flag(name, value string) (bool, error) {
	switch value {
	case "true", "1", "":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return false, fmt.Errorf("parameter %q of the bucket is true or false", name)
}
