package deploy

import (
	"regexp"
	"strings"
	"testing"
)

// TestEachProgramIsBuiltWithTheSameTags: what is published and what the tests run are what make builds.
func TestEachProgramIsBuiltWithTheSameTags(t *testing.T) {
	makefile := mustRead(t, "../Makefile")
	made := regexp.MustCompile(`go build .*(-tags=\S+) -o bin/signet `).FindStringSubmatch(makefile)
	if made == nil {
		t.Fatal("make builds without a tag")
	}
	for _, name := range []string{"Dockerfile", "release/release.go", "../internal/testenv/build.go"} {
		if !strings.Contains(mustRead(t, name), made[1]) {
			t.Errorf("%s does not build with %s, as make does", name, made[1])
		}
	}
	_, tests, _ := strings.Cut(makefile, "\nGOTEST = ")
	if tests, _, _ = strings.Cut(tests, "\n\n"); !strings.Contains(tests, made[1]) {
		t.Errorf("make does not test with %s, as it builds", made[1])
	}
}

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
