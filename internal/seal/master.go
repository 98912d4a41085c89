package seal

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"signet/internal/durable"
)

// Master is where the master key is: a Tink keyset of AES-256-GCM keys in Tink's
// JSON form, in a file or in a variable of the environment. It may hold several
// versions; the primary one is that which the next rotation of a ring goes over to.
type Master struct {
	path     string // of the file; empty: a variable
	variable string
	text     string // of the variable
}

// ParseMaster reads file:PATH or env:NAME. getenv looks a variable up.
func ParseMaster(s string, getenv func(name string) string) (Master, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch {
	case kind == "file" && rest != "":
		return Master{path: rest}, nil
	case kind == "env" && rest != "":
		return Master{variable: rest, text: getenv(rest)}, nil
	}
	return Master{}, &SetupError{fmt.Sprintf("want file:PATH or env:NAME for the master key, not %q", s)}
}

// MasterFile is the master key in a file.
func MasterFile(path string) Master { return Master{path: path} }

// String says where the master key is.
func (m Master) String() string {
	if m.path == "" {
		return "env:" + m.variable
	}
	return "file:" + m.path
}

// ErrNoMaster says that there is no master key where it was looked for.
var ErrNoMaster = errors.New("there is no master key")

// Check reports what is wrong with the master key; ErrNoMaster is that there is none.
func (m Master) Check() error {
	_, err := m.load()
	return err
}

// masterKeys are the versions of a master key.
type masterKeys struct {
	handle   *keyset.Handle
	primary  uint32
	versions map[uint32]tink.AEAD
}

// load reads the master key; ErrNoMaster where there is none.
func (m Master) load() (*masterKeys, error) {
	text := []byte(m.text)
	if m.path != "" {
		var err error
		if text, err = os.ReadFile(m.path); errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNoMaster
		} else if err != nil {
			return nil, &SetupError{fmt.Sprintf("read the master key: %v", err)}
		}
	} else if len(text) == 0 {
		return nil, ErrNoMaster
	}
	keys, err := parseMasterKeys(text)
	if err != nil {
		return nil, &SetupError{fmt.Sprintf("the master key at %s cannot be used: %v", m, err)}
	}
	return keys, nil
}

func parseMasterKeys(text []byte) (*masterKeys, error) {
	handle, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return nil, errors.New("it is no Tink keyset in JSON") // Tink's own error may hold parts of it
	}
	return newMasterKeys(handle)
}

func newMasterKeys(handle *keyset.Handle) (*masterKeys, error) {
	keys := &masterKeys{handle: handle, versions: make(map[uint32]tink.AEAD)}
	for i := range handle.Len() {
		entry, err := handle.Entry(i)
		if err != nil {
			return nil, err
		}
		if entry.KeyStatus() != keyset.Enabled {
			continue
		}
		key, ok := entry.Key().(*aesgcm.Key)
		if !ok || key.Parameters().(*aesgcm.Parameters).KeySizeInBytes() != 32 {
			return nil, fmt.Errorf("its key %d is none of AES-256-GCM", entry.KeyID())
		}
		primitive, err := aesgcm.NewAEAD(key)
		if err != nil {
			return nil, fmt.Errorf("its key %d: %w", entry.KeyID(), err)
		}
		keys.versions[entry.KeyID()] = primitive
		if entry.IsPrimary() {
			keys.primary = entry.KeyID()
		}
	}
	if keys.versions[keys.primary] == nil {
		return nil, errors.New("it has no primary key")
	}
	return keys, nil
}

// NewMasterKey makes a master key of one version and returns it in the form in
// which files and variables hold it, on one line.
func NewMasterKey() ([]byte, error) {
	handle, err := withNewVersion(keyset.NewManager())
	if err != nil {
		return nil, err
	}
	return encodeMaster(handle)
}

// withNewVersion adds a version to a keyset and makes it the primary one.
func withNewVersion(manager *keyset.Manager) (*keyset.Handle, error) {
	parameters, err := aesgcm.NewParameters(aesgcm.ParametersOpts{KeySizeInBytes: 32, IVSizeInBytes: 12,
		TagSizeInBytes: 16, Variant: aesgcm.VariantTink})
	if err != nil {
		return nil, fmt.Errorf("make a master key: %w", err)
	}
	id, err := manager.AddNewKeyFromParameters(parameters)
	if err != nil {
		return nil, fmt.Errorf("make a master key: %w", err)
	}
	if err := manager.SetPrimary(id); err != nil {
		return nil, fmt.Errorf("make a master key: %w", err)
	}
	return manager.Handle()
}

func encodeMaster(handle *keyset.Handle) ([]byte, error) {
	var b bytes.Buffer
	if err := insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&b)); err != nil {
		return nil, fmt.Errorf("write the master key: %w", err)
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n'), nil
}

// create makes a master key where there is none; only a file can be made. The log
// is told, for a copy of it is needed elsewhere.
func (m Master) create(log *slog.Logger) (*masterKeys, error) {
	if m.path == "" {
		return nil, &SetupError{fmt.Sprintf("the variable %s, which is to hold the master key, is empty: \"signet keys "+
			"generate\" prints one", m.variable)}
	}
	text, err := NewMasterKey()
	if err != nil {
		return nil, err
	}
	switch err := durable.PutNew(m.path, text); {
	case errors.Is(err, fs.ErrExist): // another server was first
		return m.load()
	case errors.Is(err, fs.ErrNotExist):
		return nil, &SetupError{fmt.Sprintf("the directory of the master key %s does not exist", m.path)}
	case err != nil:
		return nil, fmt.Errorf("write the master key: %w", err)
	}
	log.Warn("made a master key; without it nothing that is sealed can be read: keep a copy of it, apart from the backups",
		"file", m.path)
	return parseMasterKeys(text)
}

// write replaces the file in one step, readable for its owner only.
func (m Master) write(text []byte) error {
	err := removeRemains(m.path)
	if err == nil {
		err = durable.Replace(m.path, text)
	}
	if err != nil {
		return fmt.Errorf("write the master key: %w", err)
	}
	return nil
}

// prepare adds a version to the file and makes it the primary one.
func (m Master) prepare(keys *masterKeys) (*masterKeys, error) {
	if m.path == "" {
		return nil, &SetupError{fmt.Sprintf("a variable cannot be changed from here: give %s a keyset with another primary "+
			"key first, and start the servers again", m.variable)}
	}
	handle, err := withNewVersion(keyset.NewManagerFromHandle(keys.handle))
	if err != nil {
		return nil, err
	}
	return m.replace(handle)
}

// drop removes all versions but one from the file.
func (m Master) drop(keys *masterKeys, keep uint32) error {
	if m.path == "" || len(keys.versions) == 1 {
		return nil
	}
	manager := keyset.NewManagerFromHandle(keys.handle)
	if err := manager.SetPrimary(keep); err != nil {
		return fmt.Errorf("drop old versions of the master key: %w", err)
	}
	for i := range keys.handle.Len() {
		entry, err := keys.handle.Entry(i)
		if err != nil {
			return err
		}
		if entry.KeyID() == keep {
			continue
		}
		if err := manager.Delete(entry.KeyID()); err != nil {
			return fmt.Errorf("drop old versions of the master key: %w", err)
		}
	}
	handle, err := manager.Handle()
	if err != nil {
		return err
	}
	_, err = m.replace(handle)
	return err
}

func (m Master) replace(handle *keyset.Handle) (*masterKeys, error) {
	text, err := encodeMaster(handle)
	if err != nil {
		return nil, err
	}
	if err := m.write(text); err != nil {
		return nil, err
	}
	return newMasterKeys(handle)
}

// warnIfOpen tells the log where others than the owner may read the file.
func (m Master) warnIfOpen(log *slog.Logger) {
	if m.path == "" {
		return
	}
	if info, err := os.Stat(m.path); err == nil && info.Mode().Perm()&0o077 != 0 {
		log.Warn("the master key is open to other users of this machine", "file", m.path, "mode", info.Mode().Perm().String(),
			"advice", "chmod 600")
	}
}

// proofText is what the header of a ring holds under its master key.
const proofText = "signet key ring"

func (k *masterKeys) header(id string) (Header, error) {
	proof, err := k.versions[k.primary].Encrypt([]byte(proofText), []byte(id))
	return Header{ID: id, Master: k.primary, Proof: proof}, err
}

// fits reports whether a ring was made with this master key.
func (k *masterKeys) fits(h *Header) bool {
	version := k.versions[h.Master]
	if version == nil {
		return false
	}
	text, err := version.Decrypt(h.Proof, []byte(h.ID))
	return err == nil && string(text) == proofText
}

// wrap makes the record of a key.
func (k *masterKeys) wrap(h *Header, id KeyID, name Name, key []byte) (Record, error) {
	version := k.versions[h.Master]
	if version == nil {
		return Record{}, ErrChanged
	}
	wrapped, err := version.Encrypt(key, wrapBinding(h.ID, id, name))
	return Record{ID: id, Name: name, Master: h.Master, Wrapped: wrapped}, err
}

// unwrap returns the key of a record.
func (k *masterKeys) unwrap(ring string, r *Record) ([]byte, error) {
	version := k.versions[r.Master]
	if version == nil {
		return nil, fmt.Errorf("key %s is wrapped by version %d of the master key, which is not at hand", r.ID, r.Master)
	}
	key, err := version.Decrypt(r.Wrapped, wrapBinding(ring, r.ID, r.Name))
	if err != nil {
		return nil, fmt.Errorf("key %s of %q in the ring is damaged", r.ID, r.Name.Scope)
	}
	return key, nil
}

// wrapBinding ties a wrapped key to its place, so that no two can be exchanged.
func wrapBinding(ring string, id KeyID, name Name) []byte {
	return Bind("key", ring, id.String(), name.Scope, name.Period)
}

func newKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return key
}
