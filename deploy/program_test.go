package deploy

import (
	"regexp"
	"strings"
	"testing"
)

func TestImageHasTheProgramThatMakeBuilds(t *testing.T) {
	file, makefile, module := mustRead(t, "Dockerfile"), mustRead(t, "../Makefile"), mustRead(t, "../go.mod")
	build := regexp.MustCompile(`CGO_ENABLED=0 (?:GOOS=\S+ GOARCH=\S+ )?go build (.*)`)
	image, made := build.FindStringSubmatch(file), build.FindStringSubmatch(makefile)
	if image == nil || made == nil || image[1] != made[1] {
		t.Errorf("the image is built with %q, and make builds with %q", image, made)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(module)[1]
	if !strings.Contains(file, "FROM --platform=$BUILDPLATFORM golang:"+version+"-") {
		t.Errorf("the image is not built with Go %s, which go.mod asks for", version)
	}
	variables := map[string]string{"SIGNET_TRUSTED_PROXIES": "192.0.2.7"}
	for _, m := range regexp.MustCompile(`(SIGNET_\w+)=(\S+)`).FindAllStringSubmatch(file, -1) {
		variables[m[1]] = m[2]
	}
	cfg := mustLoad(t, "Dockerfile", variables, "")
	for _, line := range []string{
		"USER 65532:65532", "EXPOSE 8080", "VOLUME " + cfg.Data, "--chown=65532:65532 /empty " + cfg.Data,
		`CMD ["/usr/local/bin/signet", "health"]`, `ENTRYPOINT ["/usr/local/bin/signet"]`, `CMD ["serve"]`,
		"STOPSIGNAL SIGTERM",
	} {
		if !strings.Contains(file, line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	if !strings.HasSuffix(cfg.Listen, ":8080") {
		t.Errorf("the server listens on %s, and port 8080 is exposed", cfg.Listen)
	}
}
