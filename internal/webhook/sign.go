package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"signet/internal/model"
)

// secretSize is how many random bytes a webhook signs with: the key of an HMAC, or the seed of an Ed25519
// key.
const secretSize = 32

func newSecret() []byte {
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	return secret
}

// shared is what a receiver is given to check signatures with: the secret, or the public half of it.
func shared(by model.WebhookSignature, secret []byte) string {
	if by == model.SignatureEd25519 {
		public := ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey)
		return "whpk_" + base64.StdEncoding.EncodeToString(public)
	}
	return "whsec_" + base64.StdEncoding.EncodeToString(secret)
}

// sign returns the header webhook-signature of a request: a signature by each of the secrets, with blanks in
// between.
func sign(by model.WebhookSignature, secrets [][]byte, id string, at time.Time, body []byte) string {
	signed := append([]byte(id+"."+strconv.FormatInt(at.Unix(), 10)+"."), body...)
	all := make([]string, len(secrets))
	for i, secret := range secrets {
		var signature []byte
		if by == model.SignatureEd25519 {
			signature = ed25519.Sign(ed25519.NewKeyFromSeed(secret), signed)
		} else {
			mac := hmac.New(sha256.New, secret)
			mac.Write(signed)
			signature = mac.Sum(nil)
		}
		all[i] = string(by) + "," + base64.StdEncoding.EncodeToString(signature)
	}
	return strings.Join(all, " ")
}
