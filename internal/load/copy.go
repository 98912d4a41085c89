package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

// copyServer keeps files and gives each back once, as a server of files does that
// has nothing else to do: what it keeps is in the system's cache, and on the disk
// when the system gets to it.
type copyServer struct {
	dir  string
	last atomic.Int64
}

func (s *copyServer) put(w http.ResponseWriter, r *http.Request) {
	name := "copy-" + strconv.FormatInt(s.last.Add(1), 10)
	file, err := os.OpenFile(filepath.Join(s.dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = io.Copy(file, r.Body)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Location", "/file/"+name)
}

func (s *copyServer) get(w http.ResponseWriter, r *http.Request) {
	path := filepath.Join(s.dir, filepath.Base(r.PathValue("name")))
	file, err := os.Open(path)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	defer file.Close()
	_ = os.Remove(path) // it is there until it is closed
	info, err := file.Stat()
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, "", info.ModTime(), file)
}

// copying puts a file on the floor and fetches it: what the attachments scenario is
// beside.
type copying struct {
	put   *request
	fetch func(place string) *request
	size  int64
}

func newCopying(who *person, floor *url.URL, payload int) *copying {
	return &copying{
		put:   newRequest(who, http.MethodPost, floor.JoinPath("/file"), "").withBody(randomFile(payload)),
		fetch: func(place string) *request { return newRequest(who, http.MethodGet, floor.JoinPath(place), "") },
		size:  int64(payload),
	}
}

func (s *copying) operate(ctx context.Context, c *connection, _ int) error {
	if err := c.call(ctx, s.put); err != nil {
		return err
	}
	fetch := s.fetch(string(c.answer.Header.Peek("Location")))
	n, err := c.fetch(ctx, fetch)
	if err == nil && n != s.size {
		err = unexpected("%s: %d bytes, want %d", fetch, n, s.size)
	}
	return err
}
