package access

import (
	"errors"

	"signet/internal/model"
	"signet/internal/passkey"
)

// faults are what is told of an answer that is refused. Whoever configures a server, or has broken hardware, has to
// know which of the checks it was; somebody who forges answers learns nothing.
var faults = map[passkey.Fault]model.Error{
	passkey.Malformed: {Code: "passkey_malformed", Message: "The answer of the authenticator cannot be read."},
	passkey.NotAsked: {Code: "challenge_unknown",
		Message: "Nobody is asked for this answer, or it comes too late, or was given before."},
	passkey.WrongOrigin: {Code: codePasskeyRefused,
		Message: "The passkey was used on a page of another address than the server's public one."},
	passkey.WrongParty: {Code: codePasskeyRefused,
		Message: "The passkey belongs to another address than the server's public one."},
	passkey.NotVerified: {Code: codePasskeyRefused,
		Message: "The authenticator did not make sure who uses it: it needs a PIN, or biometrics."},
	passkey.Unknown: {Code: codePasskeyRefused, Message: "The passkey is not known here, or belongs to another account."},
	passkey.WrongBackup: {Code: codePasskeyRefused,
		Message: "The authenticator contradicts itself about copies of the passkey."},
	passkey.NotSigned: {Code: codePasskeyRefused, Message: "The signature of the authenticator is wrong."},
	passkey.Behind: {Code: "passkey_copied", Message: "The authenticator has signed less than before: perhaps somebody " +
		"has copied it. Remove the passkey."},
}

const codePasskeyRefused = "passkey_refused"

// refusedAnswer tells of a fault with an error of a kind; one that cannot be read is the fault of the request. Any
// other error stays as it is.
func refusedAnswer(err error, kind model.Kind) error {
	fault, ok := errors.AsType[passkey.Fault](err)
	if !ok {
		return err
	}
	told := faults[fault]
	told.Kind, told.Cause = kind, err
	if fault == passkey.Malformed {
		told.Kind = model.Invalid
	}
	if told.Kind == model.Invalid {
		told.Field = "credential"
	}
	return &told
}
