package store

import (
	"time"

	"signet/internal/model"
)

// forgottenAtOnce is how many challenges that nobody answered are forgotten with each that is made: so there are no
// more of them than are made while one may be answered, whoever asks for them.
const forgottenAtOnce = 4

// NoteChallenge keeps a challenge until it is answered.
func (tx *Tx) NoteChallenge(c *model.Challenge, now time.Time) error {
	err := tx.Post(`DELETE FROM passkey_challenges WHERE mark IN (SELECT mark FROM passkey_challenges WHERE expires < ?
		ORDER BY expires, mark LIMIT ? + 0)`, Millis(now), forgottenAtOnce)
	if err != nil {
		return err
	}
	return tx.Post(`INSERT INTO passkey_challenges (mark, purpose, account, api_key, expires) VALUES (?, ?, ?, ?, ?)`,
		c.Mark, int(c.Purpose), c.Account, c.Key, Millis(c.Expires))
}

// TakeChallenge returns a challenge by its mark, and forgets it: of two who answer it at once one finds it. One that
// expired is not found.
func (tx *Tx) TakeChallenge(mark []byte, now time.Time) (c model.Challenge, found bool, err error) {
	var purpose int
	var expires int64
	found, err = tx.One(`SELECT mark, purpose, account, api_key, expires FROM passkey_challenges WHERE mark = ? `+
		tx.dialect.Lock, []any{mark}, &c.Mark, &purpose, &c.Account, &c.Key, &expires)
	if err != nil || !found {
		return c, false, err
	}
	n, err := tx.Exec(`DELETE FROM passkey_challenges WHERE mark = ?`, mark)
	c.Purpose, c.Expires = model.ChallengePurpose(purpose), FromMillis(expires)
	return c, n > 0 && now.Before(c.Expires), err
}

// DeletePasskeyRest removes challenges and allowances that ended before a time.
func (tx *Tx) DeletePasskeyRest(t time.Time) error {
	if err := tx.Post(`DELETE FROM passkey_challenges WHERE expires < ?`, Millis(t)); err != nil {
		return err
	}
	return tx.Post(`DELETE FROM passkey_allowances WHERE until < ?`, Millis(t))
}
