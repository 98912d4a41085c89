package deploy

import (
	"cmp"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"signet/internal/config"
)

// object is what the tests look at in a manifest.
type object struct {
	Kind     string
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Data       map[string]string
	StringData map[string]string `yaml:"stringData"`
	Resources  []string
	Images     []struct{ Name, Digest, NewTag string }
	Spec       struct {
		Replicas  int
		Unhealthy string `yaml:"unhealthyPodEvictionPolicy"`
		Selector  labels
		Pods      labels `yaml:"podSelector"`
		Template  struct {
			Metadata struct{ Labels labels }
			Spec     pod
		}
		Ports []struct {
			Target string `yaml:"targetPort"`
		}
		Rules []struct {
			HTTP struct {
				Paths []struct {
					Backend struct {
						Service struct {
							Name string
							Port struct{ Name string }
						}
					}
				}
			}
		}
		Ingress []struct{ Ports []struct{ Port string } }
		Egress  []struct{ Ports []struct{ Port int } }
	}
}

// labels are those of an object, or those that a selector wants, which are nested
// in some kinds.
type labels struct {
	Name  string `yaml:"app.kubernetes.io/name"`
	Match struct {
		Name string `yaml:"app.kubernetes.io/name"`
	} `yaml:"matchLabels"`
}

type pod struct {
	Spread []struct {
		Over string `yaml:"topologyKey"`
	} `yaml:"topologySpreadConstraints"`
	ServiceLinks *bool `yaml:"enableServiceLinks"`
	Grace        int   `yaml:"terminationGracePeriodSeconds"`
	Security     struct {
		NonRoot bool `yaml:"runAsNonRoot"`
		User    int  `yaml:"runAsUser"`
	} `yaml:"securityContext"`
	Containers []struct {
		Image   string
		Args    []string
		EnvFrom []struct {
			ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
			SecretRef    struct{ Name string } `yaml:"secretRef"`
		} `yaml:"envFrom"`
		Ports []struct {
			Name string
			Port int `yaml:"containerPort"`
		}
		Startup   probe `yaml:"startupProbe"`
		Readiness probe `yaml:"readinessProbe"`
		Liveness  probe `yaml:"livenessProbe"`
		Security  struct {
			Escalation *bool `yaml:"allowPrivilegeEscalation"`
			ReadOnly   bool  `yaml:"readOnlyRootFilesystem"`
		} `yaml:"securityContext"`
		Mounts []struct {
			Name string
			Path string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct{ Name string }
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// mustObjects reads all manifests, by kind and name.
func mustObjects(t *testing.T) map[string]object {
	t.Helper()
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]object{}
	for _, file := range files {
		for _, o := range mustParse[object](t, file) {
			all[o.Kind+"/"+cmp.Or(o.Metadata.Name, "-")] = o
		}
	}
	return all
}

// What the page on Kubernetes says of the objects holds for the plain manifests, too.
func TestServersAreSpreadAndHoldUpNoMaintenance(t *testing.T) {
	all := mustObjects(t)
	var over []string
	for _, spread := range all["Deployment/signet"].Spec.Template.Spec.Spread {
		over = append(over, spread.Over)
	}
	if want := []string{"topology.kubernetes.io/zone", "kubernetes.io/hostname"}; !slices.Equal(over, want) {
		t.Errorf("servers are spread over %q, want %q", over, want)
	}
	if policy := all["PodDisruptionBudget/signet"].Spec.Unhealthy; policy != "AlwaysAllow" {
		t.Errorf("servers that are not ready hold up maintenance: %q", policy)
	}
}

func TestKustomizationHasAllManifests(t *testing.T) {
	k := mustObjects(t)["Kustomization/-"]
	files, err := os.ReadDir("kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, file := range files {
		if name := file.Name(); !file.IsDir() && name != "kustomization.yaml" && name != "secret.example.yaml" {
			want = append(want, name)
		}
	}
	slices.Sort(k.Resources)
	if !slices.Equal(k.Resources, want) {
		t.Errorf("kustomization.yaml has %q, want all of %q", k.Resources, want)
	}
}

// mustServer returns all manifests, and the settings of the servers that they start.
func mustServer(t *testing.T) (map[string]object, *config.Config) {
	t.Helper()
	all := mustObjects(t)
	variables := maps.Clone(all["ConfigMap/signet"].Data)
	maps.Copy(variables, all["Secret/signet"].StringData)
	if _, together := variables["MASTER_KEY"]; together {
		t.Error("the master key is in the Secret that opens what it seals")
	}
	maps.Copy(variables, all["Secret/signet-master-key"].StringData)
	// Who forgets to say which addresses are the proxies' does not trust any by accident.
	_, err := config.Load(config.Sources{Environ: environ(variables)})
	if err == nil || !strings.Contains(err.Error(), "SIGNET_TRUSTED_PROXIES") ||
		!strings.Contains(err.Error(), variables["SIGNET_TRUSTED_PROXIES"]) {
		t.Errorf("the example as it is starts with %v, want that it asks for the proxies", err)
	}
	variables["SIGNET_TRUSTED_PROXIES"] = "192.0.2.0/28"
	cfg := mustLoad(t, "kubernetes", variables, "")
	if name, _ := strings.CutPrefix(cfg.MasterKey, "env:"); variables[name] == "" ||
		!strings.HasPrefix(cfg.Keyring, "postgres://") {
		t.Error("the servers share no key ring, or no master key")
	}
	return all, cfg
}

func TestKubernetesStartsServersThatTheProgramUnderstands(t *testing.T) {
	all, cfg := mustServer(t)
	c := all["Deployment/signet"].Spec.Template.Spec.Containers[0]
	if c.EnvFrom[0].ConfigMapRef.Name != "signet" || c.EnvFrom[1].SecretRef.Name != "signet" ||
		c.EnvFrom[2].SecretRef.Name != "signet-master-key" ||
		!slices.Equal(c.Args, []string{"serve"}) {
		t.Errorf("the container runs %q with variables from %+v", c.Args, c.EnvFrom)
	}
	if cfg.InsecureLinks {
		t.Error("links to other machines are not verified")
	}
	if cfg.Database == "" || cfg.NATS == "" || !strings.HasPrefix(cfg.Blobs, "s3://") ||
		all["Deployment/signet"].Spec.Replicas != 3 {
		t.Error("there are not three servers that share a database, NATS and a bucket")
	}
}

func TestKubernetesAsksServersWhereTheyListen(t *testing.T) {
	all, cfg := mustServer(t)
	c := all["Deployment/signet"].Spec.Template.Spec.Containers[0]
	for name, listen := range map[string]string{"http": cfg.Listen, "metrics": cfg.Metrics.Listen} {
		_, port, err := net.SplitHostPort(listen)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range c.Ports {
			found = found || p.Name == name && port == strconv.Itoa(p.Port)
		}
		if !found {
			t.Errorf("port %s of the container is not the %s that the server listens on", name, port)
		}
	}
	for what, ask := range map[string]struct {
		probe
		path string
	}{"startup": {c.Startup, "/healthz"}, "readiness": {c.Readiness, "/readyz"}, "liveness": {c.Liveness, "/healthz"}} {
		if ask.HTTPGet.Path != ask.path || ask.HTTPGet.Port != "http" {
			t.Errorf("%s asks %+v, want %s on http", what, ask.HTTPGet, ask.path)
		}
	}
}

func TestKubernetesLetsServersFinish(t *testing.T) {
	all, cfg := mustServer(t)
	pod := all["Deployment/signet"].Spec.Template.Spec
	if cfg.Shutdown.Delay < 5*time.Second {
		t.Error("a server stops while the load balancer still sends it requests")
	}
	wantLonger(t, "terminationGracePeriodSeconds", time.Duration(pod.Grace)*time.Second,
		cfg.Shutdown.Delay+cfg.Shutdown.Grace+afterGrace)
}

func TestKubernetesGivesServersWhatTheyNeedAndNoMore(t *testing.T) {
	all, cfg := mustServer(t)
	pod := all["Deployment/signet"].Spec.Template.Spec
	c := pod.Containers[0]
	if !pod.Security.NonRoot || pod.Security.User != 65532 || !c.Security.ReadOnly || c.Security.Escalation == nil ||
		*c.Security.Escalation || pod.ServiceLinks == nil || *pod.ServiceLinks {
		t.Error("the container may more than it needs, or is told more")
	}
	if len(c.Mounts) != 1 || len(pod.Volumes) != 1 || c.Mounts[0].Name != pod.Volumes[0].Name ||
		c.Mounts[0].Path != cfg.Data {
		t.Errorf("the volumes %+v are mounted as %+v, want one at %s", pod.Volumes, c.Mounts, cfg.Data)
	}
	if images := all["Kustomization/-"].Images; len(images) != 1 || images[0].Name != c.Image ||
		!strings.HasPrefix(images[0].Digest, "sha256:") || images[0].NewTag != "" {
		t.Errorf("kustomization.yaml names the images %+v, and the container has %s", images, c.Image)
	}
}

func TestKubernetesNamesWhatIsThere(t *testing.T) {
	all := mustObjects(t)
	named := map[string]bool{}
	for _, p := range all["Deployment/signet"].Spec.Template.Spec.Containers[0].Ports {
		named[p.Name] = true
	}
	for _, s := range []string{"Service/signet", "Service/signet-metrics"} {
		if ports := all[s].Spec.Ports; len(ports) != 1 || !named[ports[0].Target] {
			t.Errorf("%s leads to %+v, which the container does not have", s, ports)
		}
	}
	for kind, selected := range map[string]labels{
		"Deployment": all["Deployment/signet"].Spec.Selector, "Service": all["Service/signet"].Spec.Selector,
		"Service of metrics":  all["Service/signet-metrics"].Spec.Selector,
		"PodDisruptionBudget": all["PodDisruptionBudget/signet"].Spec.Selector,
		"NetworkPolicy":       all["NetworkPolicy/signet"].Spec.Pods,
	} {
		if got, want := cmp.Or(selected.Name, selected.Match.Name),
			all["Deployment/signet"].Spec.Template.Metadata.Labels.Name; got != want || want == "" {
			t.Errorf("%s selects pods named %q, and they are named %q", kind, got, want)
		}
	}
	to := all["Ingress/signet"].Spec.Rules[0].HTTP.Paths[0].Backend.Service
	if to.Name != "signet" || to.Port.Name != "http" {
		t.Errorf("the ingress leads to %+v", to)
	}
	for _, rule := range all["NetworkPolicy/signet"].Spec.Ingress {
		for _, p := range rule.Ports {
			if !named[p.Port] {
				t.Errorf("the network policy opens %s, which the container does not have", p.Port)
			}
		}
	}
	var out []int
	for _, rule := range all["NetworkPolicy/signet"].Spec.Egress {
		for _, p := range rule.Ports {
			out = append(out, p.Port)
		}
	}
	for _, port := range []int{53, 5432, 4222, 443} {
		if !slices.Contains(out, port) {
			t.Errorf("the network policy keeps the servers from port %d", port)
		}
	}
	for annotation, want := range map[string]string{
		"proxy-buffering": "off", "proxy-request-buffering": "off", "proxy-read-timeout": "120", "proxy-body-size": "27m",
	} {
		if got := all["Ingress/signet"].Metadata.Annotations["nginx.ingress.kubernetes.io/"+annotation]; got != want {
			t.Errorf("%s is %q, want %q", annotation, got, want)
		}
	}
}
