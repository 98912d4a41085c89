// Package seal makes what people wrote unreadable in the files alone: in a copy of
// the database, of its log, of a backup, of the directory of attachments.
//
// It owns the key ring, the master key that wraps the keys in it, and the form of
// what is sealed with them. It knows neither tables nor HTTP, nor what a text means:
// its callers name the key and the place that a text is bound to.
//
// # Keys
//
// A ring holds data keys (AES-256-GCM), each under a Name: the scope of its texts,
// and their period of time. Each is wrapped by the master key, a Tink keyset that
// lies elsewhere (Master). What a ring holds is listed in Contents; where it lies is
// a Storage: a file (OpenFile), or a database that several servers share (package
// pgring). Destroying keys in the ring erases texts everywhere, so the ring must not
// be backed up together with them.
//
// A key is on disk in the ring before Use hands it out. It is destroyed (End) only
// when nothing that it sealed is left and nothing can come any more: End first
// retires it, so that Use makes a new one; then waits for those that still use it;
// then asks its caller once more whether anything is left.
//
// # Sealed texts
//
//	1 byte    the form, 2
//	8 bytes   the key's identifier
//	12 bytes  nonce, random
//	n bytes   the text, encrypted
//	16 bytes  tag, over the text and what it is bound to
//
// The form is one that callers tell from their own unsealed forms.
//
// # Sealed blobs
//
// A blob, such as an attachment, has a random key of its own (NewBlobKey), which its caller keeps in a
// sealed text. Its form is that of Tink's streaming AEAD AES256-GCM-HKDF with
// segments of 64 KiB, so that any place of it can be read by itself, and a part
// that is missing, exchanged or changed is noticed before a byte of it is shown.
package seal
