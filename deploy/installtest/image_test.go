package installtest

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"signet/internal/testenv"
)

// image is what an image says of how it runs.
type image struct {
	Created, Architecture, OS string
	Config                    struct {
		User, WorkingDir, StopSignal string
		Env, Entrypoint, Cmd         []string
		Volumes, ExposedPorts        map[string]struct{}
		Labels                       map[string]string
		Healthcheck                  struct{ Test []string }
	}
}

// TestImage unpacks the image and runs it as a container would be run that may write nothing
// but its data: by its user, with a root that can't be changed.
func TestImage(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	m := newMachine(t)
	archive := m.putRelease(after, "*_image.tar")
	m.put(built.tool, "/tmp/release")
	m.must("chmod 755 /tmp/release")
	var img image
	if err := json.Unmarshal([]byte(m.must("/tmp/release unpack "+archive+" "+platform+" /tmp/image")), &img); err != nil {
		t.Fatal(err)
	}
	if img.OS+"/"+img.Architecture != platform || img.Config.User != "65532:65532" || img.Config.StopSignal != "SIGTERM" {
		t.Errorf("the image is %+v", img)
	}
	if label := img.Config.Labels; label["org.opencontainers.image.version"] != after ||
		len(label["org.opencontainers.image.revision"]) != 40 || label["org.opencontainers.image.created"] != img.Created {
		t.Errorf("its labels are %v", label)
	}
	wantAsDockerfile(t, &img)
	m.want("find /tmp/image -perm /022 ! -type l ! -path /tmp/image/tmp", "") // others may change nothing of it
	m.want("find /tmp/image -type f -perm /6000", "")
	m.want("stat -c '%u:%g %a' /tmp/image/var/lib/signet", "65532:65532 700")
	wantAuthorities(t, m.must("cat /tmp/image/etc/ssl/certs/ca-certificates.crt"))
	wantIn(t, "the notices", m.must("cat /tmp/image/usr/share/doc/signet/THIRD-PARTY-NOTICES.txt"), "==== MIT\n")

	m.must("mount --bind /tmp/image /tmp/image && mount -o remount,bind,ro /tmp/image")
	m.must("mount -t tmpfs -o uid=65532,gid=65532,mode=700 tmpfs /tmp/image/var/lib/signet")
	if out, err := m.run("touch /tmp/image/tmp/x"); err == nil {
		t.Errorf("the root can be written: %s", out)
	}
	container := func(args ...string) []string {
		given := append(slices.Clone(img.Config.Env), "SIGNET_LISTEN=127.0.0.1:0")
		return slices.Concat([]string{"env", "-i"}, given,
			[]string{"/usr/sbin/chroot", "--userspec=" + img.Config.User, "/tmp/image"}, img.Config.Entrypoint, args)
	}
	s := start(t, m.command(container(img.Config.Cmd...)...))
	s.wantReady()
	status := m.must("cat /proc/" + strconv.Itoa(s.command.Process.Pid) + "/status")
	wantIn(t, "the process", status, "\nUid:\t65532\t65532\t65532\t65532\n", "\nCapEff:\t0000000000000000\n")
	s.stop()
	out, err := m.command(container("version")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wantIn(t, "the version", string(out), "signet v"+after+" ")
}

// wantAsDockerfile holds the image to deploy/Dockerfile, by which others build it.
func wantAsDockerfile(t *testing.T, img *image) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	list := func(words []string) string { return `["` + strings.Join(words, `", "`) + `"]` }
	want := []string{"USER " + img.Config.User, "WORKDIR " + img.Config.WorkingDir, "STOPSIGNAL " + img.Config.StopSignal,
		"ENTRYPOINT " + list(img.Config.Entrypoint), "CMD " + list(img.Config.Cmd),
		"CMD " + list(img.Config.Healthcheck.Test[1:])}
	for volume := range img.Config.Volumes {
		want = append(want, "VOLUME "+volume)
	}
	for port := range img.Config.ExposedPorts {
		want = append(want, "EXPOSE "+strings.TrimSuffix(port, "/tcp"))
	}
	for _, variable := range img.Config.Env {
		if strings.HasPrefix(variable, "SIGNET_") {
			want = append(want, variable)
		}
	}
	if len(want) != 10 {
		t.Errorf("the image says %q", want)
	}
	wantIn(t, "deploy/Dockerfile", string(file), want...)
}

func wantAuthorities(t *testing.T, text string) {
	t.Helper()
	n := 0
	for rest := []byte(text); ; n++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			t.Errorf("an authority is none: %v", err)
		}
	}
	if n < 80 {
		t.Errorf("there are only %d authorities", n)
	}
}
