package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody is the user and group in the image, as in the usual images without a shell.
const nobody = 65532

// image writes the image for every platform of Linux: an archive in OCI's layout, which
// Podman, skopeo and Docker read.
func (r *release) image() error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	var saved []dockerImage
	for _, platform := range r.platforms {
		system, machine, _ := strings.Cut(platform, "/")
		if system != "linux" {
			continue
		}
		img, err := r.imageFor(machine)
		if err != nil {
			return fmt.Errorf("image for %s: %w", platform, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: system, Architecture: machine}}})
		one, err := forDocker(img, "signet:"+r.tag()+"-"+machine)
		if err != nil {
			return err
		}
		saved = append(saved, one)
	}
	if len(saved) == 0 {
		return nil
	}
	index = mutate.Annotations(index, r.annotations()).(v1.ImageIndex)
	dir := filepath.Join(r.work, "image")
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendIndex(index, layout.WithAnnotations(map[string]string{
		"org.opencontainers.image.ref.name": r.tag(), "io.containerd.image.name": "docker.io/library/signet:" + r.tag(),
	})); err != nil {
		return err
	}
	list, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), list, 0o644); err != nil {
		return err
	}
	return writeFile(r.file("signet_"+r.number()+"_image.tar"), func(w io.Writer) error { return r.tarOf(w, dir) })
}

// tag is the version as a tag of an image, which has no tilde.
func (r *release) tag() string { return strings.ReplaceAll(r.number(), "~", "-") }

// dockerImage is how releases of Docker before 25 find an image in an archive.
type dockerImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func forDocker(img v1.Image, tag string) (dockerImage, error) {
	m, err := img.Manifest()
	if err != nil {
		return dockerImage{}, err
	}
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	d := dockerImage{Config: blob(m.Config.Digest), RepoTags: []string{tag}}
	for _, layer := range m.Layers {
		d.Layers = append(d.Layers, blob(layer.Digest))
	}
	return d, nil
}

// annotations say what the image is of, in OCI's names.
func (r *release) annotations() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "signet",
		"org.opencontainers.image.description": summary,
		"org.opencontainers.image.version":     r.tag(),
		"org.opencontainers.image.revision":    r.revision,
		"org.opencontainers.image.created":     r.time.UTC().Format(time.RFC3339),
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
}

// imageFor is the image of one machine: what never changes below the program.
func (r *release) imageFor(machine string) (v1.Image, error) {
	roots, err := authorities()
	if err != nil {
		return nil, err
	}
	base := []entry{
		{name: "etc/passwd", content: fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\n"+
			"signet:x:%d:%d:signet:/var/lib/signet:/sbin/nologin\n", nobody, nobody)},
		{name: "etc/group", content: fmt.Appendf(nil, "root:x:0:\nsignet:x:%d:\n", nobody)},
		{name: "etc/nsswitch.conf", content: []byte("hosts: files dns\n")},
		{name: "etc/ssl/certs/ca-certificates.crt", content: roots},
		{name: "usr/share/doc/signet/" + licenseFile, from: r.made(licenseFile)},
		{name: "usr/share/doc/signet/" + noticesFile, from: r.made(noticesFile)},
		{name: "tmp/", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{name: "var/lib/signet/", mode: fs.ModeDir | 0o700, owner: nobody},
	}
	program := []entry{{name: "usr/local/bin/signet", from: r.program("linux/" + machine), mode: 0o755}}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, layer := range []struct {
		about   string
		entries []entry
	}{{"users, authorities, licences", base}, {"the program", program}} {
		l, err := r.layer(layer.entries)
		if err != nil {
			return nil, err
		}
		made := v1.History{Created: v1.Time{Time: r.time.UTC()}, CreatedBy: "make release", Comment: layer.about}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: l, MediaType: types.OCILayer, History: made}); err != nil {
			return nil, err
		}
	}
	made, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	made = made.DeepCopy()
	made.OS, made.Architecture, made.Created = "linux", machine, v1.Time{Time: r.time.UTC()}
	made.Config = r.config()
	if img, err = mutate.ConfigFile(img, made); err != nil {
		return nil, err
	}
	return mutate.Annotations(img, r.annotations()).(v1.Image), nil
}

// config is how a container of the image runs: as that of deploy/Dockerfile.
func (r *release) config() v1.Config {
	return v1.Config{
		User:         fmt.Sprintf("%d:%d", nobody, nobody),
		WorkingDir:   "/var/lib/signet",
		Env:          []string{"PATH=/usr/local/bin", "SIGNET_LISTEN=0.0.0.0:8080", "SIGNET_DATA=/var/lib/signet"},
		Entrypoint:   []string{"/usr/local/bin/signet"},
		Cmd:          []string{"serve"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/signet": {}},
		StopSignal:   "SIGTERM",
		Labels:       r.annotations(),
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/usr/local/bin/signet", "health"},
			Interval: 10 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second},
	}
}

// layer is a layer of entries.
func (r *release) layer(entries []entry) (v1.Layer, error) {
	var b bytes.Buffer
	if err := writeTar(&b, entries, r.time); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithCompressionLevel(gzip.BestCompression),
		tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

// authorities are the certificates that Mozilla's programs trust, as PEM. Those are left out
// that are trusted only for certificates of before some day, which PEM cannot say.
func authorities() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# The authorities of Mozilla (certdata.txt, Mozilla Public License 2.0, whose text is at\n" +
		"# https://mozilla.org/MPL/2.0/), as golang.org/x/crypto/x509roots has them.\n")
	n := 0
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
		n++
	}
	if n < 50 {
		return nil, fmt.Errorf("there are only %d authorities", n)
	}
	return b.Bytes(), nil
}

// tarOf writes the files of a directory by their names.
func (r *release) tarOf(w io.Writer, dir string) error {
	var entries []entry
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		entries = append(entries, entry{name: filepath.ToSlash(name), from: path})
		return err
	})
	if err != nil {
		return err
	}
	return writeTar(w, entries, r.time)
}
