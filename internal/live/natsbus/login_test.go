package natsbus

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"signet/internal/live"
	"signet/internal/live/natstest"
)

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func mustWrite(t *testing.T, path string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newUser makes a user of an account of an operator, whom a server trusts, and returns
// the file by which the user signs in.
func newUser(t *testing.T) (creds []byte, trust func(*server.Options)) {
	t.Helper()
	text, key := must[string](t), must[nkeys.KeyPair](t)
	operator, account, user := key(nkeys.CreateOperator()), key(nkeys.CreateAccount()), key(nkeys.CreateUser())
	accountID := text(account.PublicKey())
	accountJWT := text(jwt.NewAccountClaims(accountID).Encode(operator))
	userJWT := text(jwt.NewUserClaims(text(user.PublicKey())).Encode(account))
	creds = must[[]byte](t)(jwt.FormatUserConfig(userJWT, must[[]byte](t)(user.Seed())))
	return creds, func(o *server.Options) {
		resolver := new(server.MemAccResolver)
		if err := resolver.Store(accountID, accountJWT); err != nil {
			t.Fatal(err)
		}
		o.TrustedKeys, o.AccountResolver = []string{text(operator.PublicKey())}, resolver
	}
}

// Each kind of file signs in; a wrong one does not, and is told in no log. What
// replaces it counts at the next try.
func TestSignsInWithAFile(t *testing.T) {
	creds, trust := newUser(t)
	others, _ := newUser(t)
	byPassword := func(o *server.Options) { o.Username, o.Password = "signet", "Pa55-word" }
	for name, test := range map[string]struct {
		change       func(*server.Options)
		login, user  string
		right, wrong string
	}{
		"credentials": {trust, "creds:", "", string(creds), string(others)},
		"token": {func(o *server.Options) { o.Authorization = "T0ken-right" }, "token:", "", "T0ken-right\n",
			"T0ken-wrong\n"},
		"password": {byPassword, "password:", "signet@", "Pa55-word\r\n", "Pa55-wrong"},
		"password and blanks": {func(o *server.Options) { o.Username, o.Password = "signet", " Pa55 word " }, "password:",
			"signet@", " Pa55 word \n", "Pa55 word"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			s := natstest.Start(t, test.change)
			path := mustWrite(t, filepath.Join(t.TempDir(), "login"), []byte(test.wrong))
			n := mustPrepare(t, "nats://"+test.user+s.Addr(), func(o *Options) { o.Login = test.login + path })
			for !strings.Contains(n.Log.String(), "the bus is away") {
				n.Wake(context.Background(), alice)
			}
			if n.bus.Connected() {
				t.Fatal("it is connected by a wrong file")
			}
			mustWrite(t, path, []byte(test.right))
			n.WantMissed(t)
			if !n.bus.Connected() {
				t.Error("it is not connected")
			}
			for _, secret := range []string{"Pa55", "T0ken", "SEED", "SU"} {
				if strings.Contains(n.Log.String(), secret) {
					t.Errorf("the log tells %q: %s", secret, n.Log)
				}
			}
		})
	}
}

func TestSignsInWithAnNkey(t *testing.T) {
	user := must[nkeys.KeyPair](t)(nkeys.CreateUser())
	public := must[string](t)(user.PublicKey())
	s := natstest.Start(t, func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} })
	path := mustWrite(t, filepath.Join(t.TempDir(), "nkey"), must[[]byte](t)(user.Seed()))
	mustOpen(t, s.URL(), func(o *Options) { o.Login = "nkey:" + path })
	other := must[nkeys.KeyPair](t)(nkeys.CreateUser())
	path = mustWrite(t, filepath.Join(t.TempDir(), "nkey"), must[[]byte](t)(other.Seed()))
	n := mustPrepare(t, s.URL(), func(o *Options) { o.Login = "nkey:" + path })
	for !strings.Contains(n.Log.String(), "the bus is away") {
		n.Wake(context.Background(), alice)
	}
	if n.bus.Connected() {
		t.Error("somebody else's key signs in")
	}
}

// A file that cannot be read when a connection is lost is told, and tried again.
func TestFileThatIsAwayForAWhile(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) { o.Authorization = "T0ken-right" })
	path := mustWrite(t, filepath.Join(t.TempDir(), "token"), []byte("T0ken-right"))
	n := mustOpen(t, s.URL(), func(o *Options) { o.Login = "token:" + path })
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.Stop(t)
	s.Restart(t)
	for !strings.Contains(n.Log.String(), "cannot be read") {
		n.Wake(context.Background(), alice)
	}
	mustWrite(t, path, []byte("T0ken-right"))
	n.WantMissed(t)
}

func TestWrongFilesAreToldAtTheStart(t *testing.T) {
	dir := t.TempDir()
	empty := mustWrite(t, filepath.Join(dir, "empty"), []byte("\n"))
	large := mustWrite(t, filepath.Join(dir, "large"), make([]byte, maxLogin+1))
	text := mustWrite(t, filepath.Join(dir, "text"), []byte("Pa55-word"))
	for _, o := range []Options{
		{Login: "token:" + filepath.Join(dir, "missing")}, {Login: "token:" + empty}, {Login: "token:" + large},
		{Login: "creds:" + filepath.Join(dir, "missing")}, {Login: "nkey:" + text}, {Login: "password:" + empty},
		{Login: "password:" + text}, {Login: "password:" + text, URL: "nats://a@127.0.0.1:1,nats://b@127.0.0.1:1"},
		{Login: "smoke:" + text},
		{CA: text}, {CA: filepath.Join(dir, "missing")}, {Certificate: text, Key: text},
	} {
		o.Secret, o.Epoch = secret, "epoch"
		if o.URL == "" {
			o.URL = "nats://127.0.0.1:1"
		}
		hub := live.NewHub(0)
		b, err := Open(hub, o)
		if err == nil {
			_ = b.Close()
			t.Errorf("%+v is accepted", o)
		} else if strings.Contains(err.Error(), "Pa55") {
			t.Errorf("the error tells what the file holds: %v", err)
		}
		hub.Close()
	}
}

// authority certifies servers and nodes.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, key: must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key))
	a.cert = must[*x509.Certificate](t)(x509.ParseCertificate(der))
	a.file = mustWrite(t, filepath.Join(t.TempDir(), "ca.pem"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// issue makes a certificate, and returns the files that hold it and its key.
func (a *authority) issue(name string) (cert, key string) {
	a.t.Helper()
	private := must[*ecdsa.PrivateKey](a.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := must[[]byte](a.t)(x509.CreateCertificate(rand.Reader, template, a.cert, &private.PublicKey, a.key))
	secret := must[[]byte](a.t)(x509.MarshalPKCS8PrivateKey(private))
	dir := a.t.TempDir()
	return mustWrite(a.t, filepath.Join(dir, name+".pem"),
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		mustWrite(a.t, filepath.Join(dir, name+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}

func TestServersAndNodesRecogniseEachOtherByCertificates(t *testing.T) {
	a, foreign := newAuthority(t), newAuthority(t)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	pair := must[tls.Certificate](t)(tls.LoadX509KeyPair(a.issue("server")))
	s := natstest.Start(t, func(o *server.Options) {
		o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool,
			ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
		o.TLSVerify, o.TLSTimeout = true, 5
	})
	cert, key := a.issue("node")
	for _, scheme := range []string{"nats://", "tls://"} {
		mustOpen(t, scheme+s.Addr(), func(o *Options) { o.CA, o.Certificate, o.Key = a.file, cert, key })
	}
	theirs, theirKey := foreign.issue("node")
	for what, change := range map[string]func(*Options){
		"a server of an unknown authority": func(o *Options) { o.CA, o.Certificate, o.Key = foreign.file, cert, key },
		"a node of an unknown authority":   func(o *Options) { o.CA, o.Certificate, o.Key = a.file, theirs, theirKey },
		"a node without a certificate":     func(o *Options) { o.CA = a.file },
	} {
		n := mustPrepare(t, "tls://"+s.Addr(), change)
		for !strings.Contains(n.Log.String(), "the bus is away") {
			n.Wake(context.Background(), alice)
		}
		if n.bus.Connected() {
			t.Errorf("%s is connected", what)
		}
	}
	// Who names an authority is never answered in clear.
	plain := natstest.Start(t)
	n := mustPrepare(t, plain.URL(), func(o *Options) { o.CA = a.file })
	for !strings.Contains(n.Log.String(), "the bus is away") {
		n.Wake(context.Background(), alice)
	}
	if n.bus.Connected() {
		t.Error("it speaks in clear with a server that should have a certificate")
	}
}
