package api_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"signet/internal/identity"
	"signet/internal/model"
	"signet/internal/openid/openidtest"
	"signet/internal/store"
)

// newIdentities makes what signs people in with providers. They may be on this machine, and nowhere with the name
// forbidden.
func (s *server) newIdentities() *identity.Identities {
	return identity.New(identity.Options{
		Store: s.store, Access: s.access, People: s.people, Vault: s.vault, Hub: s.hub, Clock: s.clock.Now,
		Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Check: func(url string) error {
			if strings.Contains(url, "forbidden") {
				return errors.New("the settings of this server do not allow this host")
			}
			return nil
		},
	})
}

// ward is a clinic whose members sign in with a provider. Its domain is example.com.
type ward struct {
	clinic
	provider *openidtest.Forger
	identity string // the path of its set-up
	oidc     string // the path of its sign-ins
}

func startWard(t *testing.T, f fields, changes ...func(*figures)) *ward {
	t.Helper()
	w := &ward{clinic: startClinic(t, changes...)}
	w.provider = openidtest.NewForger(t, w.clock.Now)
	w.identity, w.oidc = "/v2/organization/"+w.org+"/identity", "/v2/session/oidc/"+w.org
	w.operator.post(w.identity, merged(fields{"issuer": w.provider.URL, "client_id": openidtest.ClientID,
		"client_secret": openidtest.ClientSecret, "domains": []string{"example.com"}}, f)).want(204)
	return w
}

// says has the provider vouch for somebody with an e-mail address of the domain.
func (w *ward) says(name string, more ...any) {
	claims := map[string]any{"sub": "sub-" + name, "email": name + "@example.com", "email_verified": true,
		"preferred_username": name, "name": strings.ToUpper(name[:1]) + name[1:], "sid": "sid-" + name}
	for i := 0; i < len(more); i += 2 {
		claims[more[i].(string)] = more[i+1]
	}
	w.provider.Says(claims)
}

// going is a browser on its way to the provider and back.
type going struct {
	w      *ward
	cookie string // by which it is known
	to     string // where it was sent
	back   string // the path and query that the provider sends it to
}

// begin has a browser begin, and agree at the provider.
func (w *ward) begin(query string, options ...option) *going {
	w.t.Helper()
	return w.visit(w.anyone().get(w.oidc+query, options...).want(302))
}

// visit has a browser go where an answer sends it.
func (w *ward) visit(a *answer) *going {
	w.t.Helper()
	return w.goTo(a, a.Header.Get("Location"))
}

func (w *ward) goTo(a *answer, to string) *going {
	w.t.Helper()
	set := a.Cookies()
	if len(set) != 1 || set[0].SameSite != http.SameSiteLaxMode || !set[0].HttpOnly || set[0].MaxAge != 600 ||
		set[0].Path != "/" || !strings.HasPrefix(set[0].Name, "signet-oidc") {
		w.t.Fatalf("%s: set the cookies %q", a.what, a.Header["Set-Cookie"])
	}
	g := &going{w: w, cookie: set[0].Name + "=" + set[0].Value, to: to}
	back, ours := strings.CutPrefix(w.provider.Visit(g.to), w.url)
	if !ours {
		w.t.Fatalf("the provider sends people to %s", back)
	}
	g.back = back
	return g
}

// finish comes back to the server.
func (g *going) finish(options ...option) *answer {
	g.w.t.Helper()
	return g.w.anyone().get(g.back, append([]option{header("Cookie", g.cookie)}, options...)...)
}

// mustSignIn signs in whom the provider vouches for now.
func (w *ward) mustSignIn() *person {
	w.t.Helper()
	return w.anyone().byCookie(w.begin("").finish().want(303))
}

// wantRefused checks that whom the provider vouches for now is not let in.
func (w *ward) wantRefused(what, code string) {
	w.t.Helper()
	got := w.begin("").finish()
	if got.StatusCode != 403 {
		w.t.Fatalf("%s: got %d %s", what, got.StatusCode, got.content)
	}
	got.wantError(403, code)
	if set := got.Header["Set-Cookie"]; set != nil {
		w.t.Errorf("%s: who is refused gets %q", what, set)
	}
}

// mustName gives an account an e-mail address, whoever may do that.
func (w *ward) mustName(p *person, email string) {
	w.t.Helper()
	err := w.store.Update(w.t.Context(), func(tx *store.Tx) error {
		before, _, err := tx.Account(p.id())
		if err != nil {
			return err
		}
		after := before
		after.Emails = []model.Email{{Address: email}}
		return tx.UpdatePerson(&before, &after)
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
