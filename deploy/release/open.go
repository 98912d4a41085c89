package main

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// unpack writes the root file system of an image for a platform into a directory, which is
// made, and prints how it is run.
func unpack(archive, platform, dir string) error {
	return withLayout(archive, func(index v1.ImageIndex) error {
		img, err := imageOf(index, platform)
		if err != nil {
			return err
		}
		config, err := img.RawConfigFile()
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", config)
		stream := mutate.Extract(img)
		defer stream.Close()
		return untar(stream, dir)
	})
}

// imageOf finds the image of a platform.
func imageOf(index v1.ImageIndex, platform string) (v1.Image, error) {
	m, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, d := range m.Manifests {
		if d.Platform != nil && d.Platform.OS+"/"+d.Platform.Architecture == platform {
			return index.Image(d.Digest)
		}
	}
	return nil, fmt.Errorf("the image is not for %s", platform)
}

// withLayout opens an archive of an image, and gives its index to do.
func withLayout(archive string, do func(v1.ImageIndex) error) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	dir, err := os.MkdirTemp("", "signet-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := untar(f, dir); err != nil {
		return err
	}
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	m, err := outer.IndexManifest()
	if err != nil {
		return err
	}
	for _, d := range m.Manifests {
		if d.MediaType == types.OCIImageIndex {
			index, err := outer.ImageIndex(d.Digest)
			if err != nil {
				return err
			}
			return do(index)
		}
	}
	return fmt.Errorf("%s has no index of images", archive)
}

// untar unpacks files and directories with their modes, and with their owners where this runs
// as root.
func untar(from io.Reader, dir string) error {
	for t := tar.NewReader(from); ; {
		header, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(header.Name))
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("the archive has the name %q", header.Name)
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case tar.TypeReg:
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = writeFile(path, func(w io.Writer) error { _, err := io.Copy(w, t); return err })
			}
		default:
			err = fmt.Errorf("%s is neither a file nor a directory", header.Name)
		}
		if err == nil && os.Geteuid() == 0 {
			err = os.Chown(path, header.Uid, header.Gid)
		}
		if err == nil {
			err = os.Chmod(path, header.FileInfo().Mode())
		}
		if err != nil {
			return err
		}
	}
}
