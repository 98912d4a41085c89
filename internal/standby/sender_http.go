package standby

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"signet/internal/blob"
	"signet/internal/model"
)

// The paths of both servers.
const (
	pathState  = "/standby/state"
	pathFence  = "/standby/fence"
	pathFollow = "/standby/follow"
	pathFiles  = "/standby/files/"
)

// upgrade is what a connection becomes.
const upgrade = "signet-standby"

// mostRequest is the most bytes of a request's body.
const mostRequest = 64 << 10

// NewServer returns the HTTP server of the address on which the two talk. Its connections live as long as
// lifetime.
func NewServer(lifetime context.Context, handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // a connection is taken over
	return &http.Server{Handler: handler, Protocols: protocols, ReadHeaderTimeout: patience, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return lifetime }}
}

// Handler answers a standby, and the other server of a pair.
func (s *Sender) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathState, func(w http.ResponseWriter, r *http.Request) { answerState(w, r, s.Self) })
	mux.HandleFunc("POST "+pathFence, func(w http.ResponseWriter, r *http.Request) { answerClaim(w, r, s.Self, s.fence) })
	mux.HandleFunc("GET "+pathFiles+"{id}", s.answerFile)
	mux.HandleFunc("POST "+pathFollow, s.answerFollow)
	return guarded(mux, s.Key, func(r *http.Request) {
		s.counts.refused.Add(1)
		s.Log.Warn("a request of a standby without the key of standby.key was refused", "client", r.RemoteAddr)
	})
}

// guarded lets requests with the key through.
func guarded(next http.Handler, key string, refused func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !authorized(r, key) {
			refused(r)
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the key of standby.key is wanted", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func answerJSON(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

func answerState(w http.ResponseWriter, r *http.Request, self func(context.Context) (State, error)) {
	state, err := self(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	answerJSON(w, state)
}

// answerClaim has this server give way to one of a higher term, and answers what it is.
func answerClaim(w http.ResponseWriter, r *http.Request, self func(context.Context) (State, error),
	fence func(context.Context, Claim) error) {
	var c Claim
	if err := json.NewDecoder(io.LimitReader(r.Body, mostRequest)).Decode(&c); err != nil {
		http.Error(w, "the claim cannot be read", http.StatusBadRequest)
		return
	}
	state, err := self(r.Context())
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	case c.Installation != state.Installation:
		http.Error(w, "this server is of installation "+state.Installation, http.StatusConflict)
		return
	case state.Role == First && c.Term <= state.Term:
		w.WriteHeader(http.StatusConflict) // what it is says why
		answerJSON(w, state)
		return
	case state.Role == First:
		if err := fence(r.Context(), c); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	answerJSON(w, state)
}

func (s *Sender) answerFile(w http.ResponseWriter, r *http.Request) {
	id, ok := model.ParseBlobID(r.PathValue("id"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	file, err := s.Files.Open(r.Context(), id)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		http.NotFound(w, r)
		return
	case err != nil:
		s.Log.Warn("a file could not be given to the standby", "error", err)
		http.Error(w, "the file cannot be read", http.StatusServiceUnavailable)
		return
	}
	defer file.Close()
	// The standby compares the length, so that a file that is cut off counts as none.
	http.ServeContent(w, r, "", time.Time{}, file)
	if r.Method != http.MethodHead { // by which a standby asks whether it is there
		s.counts.files.Add(1)
	}
}

// answerFollow takes the connection over, and serves the standby on it.
func (s *Sender) answerFollow(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != upgrade {
		http.Error(w, "want Upgrade: "+upgrade, http.StatusUpgradeRequired)
		return
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "the connection cannot be taken over", http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"+
		"Upgrade: "+upgrade+"\r\n\r\n")
	if err == nil {
		// A failed read would end the request's context, and hide why it failed.
		err = s.take(context.WithoutCancel(r.Context()), conn, buffered.Reader)
	}
	if err != nil && !errors.Is(err, errClosed) {
		s.Log.Warn("a standby does not follow any more; it connects again by itself", "client", r.RemoteAddr, "error", err)
	}
}

// take serves the standby at the other end of a connection.
func (s *Sender) take(ctx context.Context, conn net.Conn, in *bufio.Reader) error {
	l := newLink(conn, in)
	var h standbyHello
	if err := l.want(kindHello, &h, patience); err != nil {
		return err
	}
	l.patience = s.patience
	ctx, now, leave, err := s.enter(ctx, h.ID)
	if err != nil {
		return errors.Join(err, l.tell(kindRefused, refusal{err.Error()}))
	}
	defer leave()
	defer context.AfterFunc(ctx, func() { conn.Close() })() // whatever waits for the other end
	if err := s.follow(ctx, now, l, &h); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return nil
}
