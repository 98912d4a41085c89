package helm

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/config"
)

// afterGrace is how long a server may take to stop beyond shutdown.grace (internal/app, drain.go).
const afterGrace = 7 * time.Second

// secrets stand for what the Secrets hold, by variable.
var secrets = map[string]string{
	"SIGNET_DATABASE":       "postgres://signet:secret@db1.example.com,db2.example.com/signet?sslmode=verify-full",
	"SIGNET_KEYRING":        "postgres://signet:secret@keys.example.com/keyring?sslmode=verify-full",
	"SIGNET_KEYRING_COPY":   "postgres://signet:secret@keys2.example.com/keyring?sslmode=verify-full",
	"SIGNET_NATS":           "tls://nats.example.com:4222",
	"MASTER_KEY":            "{}",
	"AWS_ACCESS_KEY_ID":     "KEY",
	"AWS_SECRET_ACCESS_KEY": "SECRET",
}

// variables are those of a rendered server: from its ConfigMap, and from Secrets.
func variables(t *testing.T, all map[string]object) map[string]string {
	t.Helper()
	out := map[string]string{}
	deployment := one(t, all, "Deployment")
	from := deployment.text("spec.template.spec.containers.0.envFrom.0.configMapRef.name")
	data, _ := at(all["ConfigMap/"+from], "data").(map[string]any)
	for name, value := range data {
		text, isText := value.(string)
		if !isText {
			t.Errorf("%s is no text, but %v", name, value)
		}
		out[name] = text
	}
	env, _ := at(deployment, "spec.template.spec.containers.0.env").([]any)
	for i := range env {
		name := deployment.text(fmt.Sprintf("spec.template.spec.containers.0.env.%d.name", i))
		if out[name] != "" {
			t.Errorf("%s is said twice", name)
		}
		if deployment.text(fmt.Sprintf("spec.template.spec.containers.0.env.%d.valueFrom", i)) == "" {
			out[name] = deployment.text(fmt.Sprintf("spec.template.spec.containers.0.env.%d.value", i))
		} else if out[name] = secrets[name]; out[name] == "" {
			t.Errorf("%s comes from a Secret, and is none of the secrets", name)
		}
	}
	return out
}

// mustLoad reads settings as the server does.
func mustLoad(t *testing.T, variables map[string]string) *config.Config {
	t.Helper()
	var environ []string
	for name, value := range variables {
		environ = append(environ, name+"="+value)
	}
	cfg, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		t.Fatalf("the server would not start: %v", err)
	}
	return cfg
}

// forEachExample renders all examples and runs a test for each.
func forEachExample(t *testing.T, test func(t *testing.T, name string, all map[string]object, cfg *config.Config)) {
	t.Helper()
	given := examples(t)
	names := slices.Sorted(maps.Keys(given))
	var releases []release
	for _, name := range names {
		releases = append(releases, release{Name: "signet", Namespace: "messages", Values: given[name]})
	}
	for i, r := range mustRender(t, releases...) {
		t.Run(names[i], func(t *testing.T) {
			all := objects(t, r.Files)
			test(t, names[i], all, mustLoad(t, variables(t, all)))
		})
	}
}

func TestExamplesStartServersThatTheProgramUnderstands(t *testing.T) {
	t.Parallel()
	known := []string{"MASTER_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "SSL_CERT_DIR", "GOMEMLIMIT",
		"SIGNET_URL"}
	for _, s := range config.Settings() {
		known = append(known, s.Variable)
	}
	forEachExample(t, func(t *testing.T, name string, all map[string]object, cfg *config.Config) {
		for variable := range variables(t, all) {
			if !slices.Contains(known, variable) {
				t.Errorf("%s is no setting", variable)
			}
		}
		if embedded := name == "embedded.yaml"; embedded != (cfg.Database == "") || embedded != (cfg.Keyring == "") ||
			embedded != (cfg.Blobs == "") {
			t.Errorf("the servers store in %q, %q and %q", cfg.Database, cfg.Keyring, cfg.Blobs)
		}
		if name == "strict.yaml" && (cfg.Tracing.Sample != 0.05 || cfg.Limits.AttachmentBytes != 104857600) {
			t.Errorf("of the numbers in config %v and %v arrive", cfg.Tracing.Sample, cfg.Limits.AttachmentBytes)
		}
		if cfg.InsecureLinks || cfg.InsecureHTTP || len(cfg.Risks()) > 0 {
			t.Errorf("it is not safe: %q", cfg.Risks())
		}
		if told := cfg.WithoutEffect(); len(told) > 0 {
			t.Errorf("settings without effect: %q", told)
		}
	})
}

// What a platform team looks for first.
func TestExamplesGiveServersWhatTheyNeedAndNoMore(t *testing.T) {
	t.Parallel()
	forEachExample(t, func(t *testing.T, name string, all map[string]object, cfg *config.Config) {
		deployment := one(t, all, "Deployment")
		pod, container := "spec.template.spec.", "spec.template.spec.containers.0."
		selector := "map[app.kubernetes.io/instance:signet app.kubernetes.io/name:signet]"
		want := map[string]string{
			pod + "automountServiceAccountToken":                          "false",
			pod + "enableServiceLinks":                                    "false",
			pod + "securityContext.runAsNonRoot":                          "true",
			pod + "securityContext.runAsUser":                             "65532",
			pod + "securityContext.fsGroup":                               "65532",
			pod + "securityContext.fsGroupChangePolicy":                   "OnRootMismatch",
			pod + "securityContext.seccompProfile.type":                   "RuntimeDefault",
			container + "securityContext.readOnlyRootFilesystem":          "true",
			container + "securityContext.allowPrivilegeEscalation":        "false",
			container + "securityContext.capabilities.drop":               "[ALL]",
			container + "args":                                            "[serve]",
			container + "startupProbe.httpGet.path":                       "/healthz",
			container + "readinessProbe.httpGet.path":                     "/readyz",
			container + "livenessProbe.httpGet.path":                      "/healthz",
			container + "ports.0.containerPort":                           port(cfg.Listen),
			container + "ports.1.containerPort":                           port(cfg.Metrics.Listen),
			container + "volumeMounts.0.mountPath":                        cfg.Data,
			"spec.strategy.type":                                          "RollingUpdate",
			pod + "topologySpreadConstraints.0.labelSelector.matchLabels": selector,
		}
		switch name {
		case "strict.yaml":
			want[pod+"securityContext.runAsUser"], want[pod+"securityContext.fsGroup"] = "", ""
			want[pod+"securityContext.fsGroupChangePolicy"] = ""
		case "embedded.yaml":
			want["spec.strategy.type"] = "Recreate"
		}
		for path, value := range want {
			if got := deployment.text(path); got != value {
				t.Errorf("%s is %q, want %q", path, got, value)
			}
		}
		if one(t, all, "ServiceAccount").text("automountServiceAccountToken") != "false" {
			t.Error("the service account has a token")
		}
		if image := deployment.text(container + "image"); !regexp.MustCompile(`^[a-z0-9./-]+(:[\w.-]+)?@sha256:[0-9a-f]{64}$`).
			MatchString(image) {
			t.Errorf("the image is %s, want it by digest", image)
		}
		for _, resource := range []string{"requests.cpu", "requests.memory", "limits.memory"} {
			if deployment.text(container+"resources."+resource) == "" {
				t.Errorf("resources.%s is not said", resource)
			}
		}
		grace, err := strconv.Atoi(deployment.text(pod + "terminationGracePeriodSeconds"))
		if least := cfg.Shutdown.Delay + cfg.Shutdown.Grace + afterGrace; err != nil ||
			time.Duration(grace)*time.Second <= least {
			t.Errorf("terminationGracePeriodSeconds is %d, want more than the %v that a server may take", grace, least)
		}
		if cfg.Shutdown.Delay == 0 && name != "embedded.yaml" {
			t.Error("a server stops while proxies still send it requests")
		}
		scheme := "HTTP"
		if cfg.TLS.Cert != "" {
			scheme = "HTTPS"
		}
		if got := deployment.text(container + "readinessProbe.httpGet.scheme"); got != scheme {
			t.Errorf("the probes ask by %s, and the server speaks %s", got, scheme)
		}
	})
}

func port(address string) string { return address[strings.LastIndex(address, ":")+1:] }

func TestObjectsOfExamplesFindEachOther(t *testing.T) {
	t.Parallel()
	forEachExample(t, func(t *testing.T, name string, all map[string]object, _ *config.Config) {
		deployment := one(t, all, "Deployment")
		labels, _ := at(deployment, "spec.template.metadata.labels").(map[string]any)
		service := deployment.text("metadata.name")
		for path, from := range map[string]object{
			"spec.selector.matchLabels": deployment, "spec.selector": all["Service/"+service],
			"spec.selector ":               all["Service/"+service+"-metrics"],
			"spec.selector.matchLabels ":   one(t, all, "PodDisruptionBudget"),
			"spec.podSelector.matchLabels": one(t, all, "NetworkPolicy"),
		} {
			if from == nil {
				continue // the embedded store has no budget
			}
			selected, _ := at(from, strings.TrimSpace(path)).(map[string]any)
			if len(selected) != 2 {
				t.Errorf("%s selects by %v", from.text("kind"), selected)
			}
			for label, value := range selected {
				if labels[label] != value {
					t.Errorf("%s selects %s=%v, and the pods have %v", from.text("kind"), label, value, labels[label])
				}
			}
		}
		for path, from := range map[string]object{
			"spec.rules.0.http.paths.0.backend.service.name": one(t, all, "Ingress"),
			"spec.rules.0.backendRefs.0.name":                one(t, all, "HTTPRoute"),
			"spec.scaleTargetRef.name":                       one(t, all, "HorizontalPodAutoscaler"),
		} {
			if from != nil && from.text(path) != service {
				t.Errorf("%s leads to %q, want %q", from.text("kind"), from.text(path), service)
			}
		}
		if budget := one(t, all, "PodDisruptionBudget"); (budget == nil) != (name == "embedded.yaml") {
			t.Errorf("there is the budget %v", budget)
		}
		volumes := names(deployment, "spec.template.spec.volumes")
		mounts := names(deployment, "spec.template.spec.containers.0.volumeMounts")
		if !slices.Equal(volumes, mounts) {
			t.Errorf("there are the volumes %q, and mounted are %q", volumes, mounts)
		}
	})
}

// Streams go through as long as clients want them, and the network lets through what the
// settings name.
func TestExamplesLetStreamsBe(t *testing.T) {
	t.Parallel()
	forEachExample(t, func(t *testing.T, name string, all map[string]object, cfg *config.Config) {
		if route := one(t, all, "HTTPRoute"); (route != nil) != (name == "gateway.yaml") {
			t.Errorf("there is the route %v", route)
		} else if route != nil {
			for path, want := range map[string]string{
				"spec.rules.0.matches.0.path.value":      "/v2/events",
				"spec.rules.0.matches.1.headers.0.value": "text/event-stream",
				"spec.rules.0.timeouts.request":          "0s",
				"spec.rules.0.timeouts.backendRequest":   "0s",
				"spec.rules.1.matches.0.path.value":      "/",
				"spec.hostnames":                         "[signet.example.com]",
			} {
				if got := route.text(path); got != want {
					t.Errorf("%s is %q, want %q", path, got, want)
				}
			}
		}
		if ingress := one(t, all, "Ingress"); ingress != nil {
			annotations, _ := at(ingress, "metadata.annotations").(map[string]any)
			wait, err := strconv.Atoi(fmt.Sprint(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"]))
			if err != nil || wait <= 60 {
				t.Errorf("the ingress cuts off polls that wait: %v", wait)
			}
		}
		policy := fmt.Sprint(at(one(t, all, "NetworkPolicy"), "spec.egress"))
		for _, c := range []struct {
			port   string
			needed bool
		}{{"53", true}, {"5432", cfg.Database != ""}, {"4222", cfg.NATS != ""}, {"443", cfg.Blobs != ""}} {
			if c.needed && !strings.Contains(policy, "port:"+c.port+" ") {
				t.Errorf("the network policy keeps the servers from port %s", c.port)
			}
		}
		if name == "embedded.yaml" && strings.Contains(policy, "0.0.0.0") {
			t.Error("a server that needs nobody reaches everybody")
		}
	})
}

// There are more servers when there are more streams or more to compute.
func TestAutoscalingLooksAtStreamsAndCPU(t *testing.T) {
	t.Parallel()
	scaled := one(t, objects(t, mustRender(t, release{Name: "signet", Values: examples(t)["gateway.yaml"]})[0].Files),
		"HorizontalPodAutoscaler")
	for path, want := range map[string]string{
		"spec.metrics.0.pods.metric.name":                    "signet_streams",
		"spec.metrics.0.pods.target.averageValue":            "20000",
		"spec.metrics.1.resource.target.averageUtilization":  "70",
		"spec.behavior.scaleDown.stabilizationWindowSeconds": "600",
	} {
		if got := scaled.text(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if !strings.Contains(mustRead(t, "../../docs/operate/metrics.md"), "- `signet_streams` (gauge") {
		t.Error("there is no metric signet_streams")
	}
}

// Other settings make other pods, and the same settings the same ones.
func TestChangedSettingsReplaceServers(t *testing.T) {
	t.Parallel()
	values := examples(t)["ingress.yaml"]
	made := mustRender(t, release{Name: "signet", Values: values}, release{Name: "signet", Values: values, Upgrade: true},
		release{Name: "signet", Values: values + "config: {log: {level: debug}}\n"})
	var sums []string
	for _, r := range made {
		deployment := one(t, objects(t, r.Files), "Deployment")
		sums = append(sums, deployment.text("spec.template.metadata.annotations.checksum/config"))
	}
	if sums[0] == "" || sums[0] != sums[1] || sums[0] == sums[2] {
		t.Errorf("the checksums are %q", sums)
	}
}

// The chart is released with the program, under its version.
func TestChartHasTheVersionOfTheProgram(t *testing.T) {
	t.Parallel()
	newest := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindStringSubmatch(mustRead(t, "../../CHANGELOG.md"))
	if newest == nil {
		t.Fatal("CHANGELOG.md names no version")
	}
	chart := objects(t, map[string]string{"Chart.yaml": mustRead(t, "signet/Chart.yaml")})["/"]
	if chart.text("version") != newest[1] || chart.text("appVersion") != newest[1] {
		t.Errorf("Chart.yaml has the version %s for %s, and the newest in CHANGELOG.md is %s", chart.text("version"),
			chart.text("appVersion"), newest[1])
	}
}

func TestNotesSayWhatIsLeftToDo(t *testing.T) {
	t.Parallel()
	given := examples(t)
	made := mustRender(t, release{Name: "signet", Namespace: "messages", Values: given["gateway.yaml"]},
		release{Name: "signet", Namespace: "messages", Values: given["gateway.yaml"], Upgrade: true},
		release{Name: "signet", Values: strings.Replace(given["direct.yaml"], "LoadBalancer", "ClusterIP", 1)},
		release{Name: "signet", Values: given["embedded.yaml"]})
	for i, want := range [][]string{
		{"3 to 10 servers on PostgreSQL, at https://signet.example.com", "signet operator reset", "custom.metrics",
			"--namespace messages"},
		{"rollout status", "Upgrade notes"}, {"Nothing leads to the servers"}, {"one server on the embedded store"},
	} {
		for _, text := range want {
			if !strings.Contains(made[i].Notes, text) {
				t.Errorf("the notes %d lack %q:\n%s", i, text, made[i].Notes)
			}
		}
	}
	if strings.Contains(made[1].Notes, "operator reset") {
		t.Error("an upgrade tells how to make an operator")
	}
}

// The chart has the rules of deploy/prometheus, since it can reach no file outside of it, and
// a PrometheusRule has all of them, with the job that they ask for.
func TestChartHasTheRulesOfPrometheus(t *testing.T) {
	t.Parallel()
	rules, err := filepath.Glob("../prometheus/signet.*.yaml")
	if err != nil || len(rules) == 0 {
		t.Fatalf("there are the rules %q, %v", rules, err)
	}
	var want, got []string
	for _, name := range rules {
		own, text := filepath.Join("signet/files/rules", filepath.Base(name)), mustRead(t, name)
		if *update {
			if err := os.WriteFile(own, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if mustRead(t, own) != text {
			t.Errorf("%s is not as %s: go test ./deploy/helm -update", own, name)
		}
		want = append(want, names(objects(t, map[string]string{name: text})["/"], "groups")...)
	}
	if copies, err := filepath.Glob("signet/files/rules/*"); err != nil || len(copies) != len(rules) {
		t.Errorf("the chart has %q, and deploy/prometheus %q: %v", copies, rules, err)
	}
	all := objects(t, mustRender(t, release{Name: "signet", Values: examples(t)["gateway.yaml"]})[0].Files)
	if got = names(one(t, all, "PrometheusRule"), "spec.groups"); !slices.Equal(got, want) {
		t.Errorf("the PrometheusRule has the groups %q, want %q", got, want)
	}
	monitor := one(t, all, "ServiceMonitor")
	if monitor.text("spec.endpoints.0.relabelings.0.targetLabel") != "job" ||
		monitor.text("spec.endpoints.0.relabelings.0.replacement") != "signet" {
		t.Errorf("Prometheus gives the servers another job: %v", monitor)
	}
}

// names are those of the objects in a list.
func names(o object, path string) (out []string) {
	list, _ := at(o, path).([]any)
	for _, one := range list {
		out = append(out, object(one.(map[string]any)).text("name"))
	}
	return out
}
