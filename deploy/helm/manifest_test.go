package helm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// object is a manifest, as YAML has it.
type object map[string]any

// at returns what is at a path, such as spec.ports.0.name, or nil.
func at(value any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case object:
			value = v[part]
		case map[string]any:
			value = v[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(v) {
				return nil
			}
			value = v[n]
		default:
			return nil
		}
	}
	return value
}

// text is at as text, or "" where there is nothing.
func (o object) text(path string) string {
	value := at(o, path)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// objects are the manifests of files, by kind and name.
func objects(t *testing.T, files map[string]string) map[string]object {
	t.Helper()
	out := map[string]object{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		decoder := yaml.NewDecoder(bytes.NewReader([]byte(files[name])))
		for {
			var read map[string]any // in which all others are of this type too
			err := decoder.Decode(&read)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, files[name])
			}
			if read == nil {
				continue
			}
			o := object(read)
			id := o.text("kind") + "/" + o.text("metadata.name")
			if out[id] != nil {
				t.Errorf("%s makes %s a second time", name, id)
			}
			out[id] = o
		}
	}
	return out
}

// one is the only manifest of a kind, or nil.
func one(t *testing.T, all map[string]object, kind string) object {
	t.Helper()
	var found object
	for id, o := range all {
		if strings.HasPrefix(id, kind+"/") {
			if found != nil {
				t.Errorf("there are several of %s", kind)
			}
			found = o
		}
	}
	return found
}

// examples are the values in examples, by the name of the file.
func examples(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		out[filepath.Base(file)] = mustRead(t, file)
	}
	return out
}

// Everything that the chart makes of the examples, at the first installation and at an
// upgrade, and all plain manifests, as they are and as kustomize makes them.
func TestKubernetesTakesAllManifests(t *testing.T) {
	t.Parallel()
	var ask request
	names := slices.Sorted(maps.Keys(examples(t)))
	for _, name := range names {
		for _, upgrade := range []bool{false, true} {
			ask.Releases = append(ask.Releases, release{Name: "signet", Namespace: "messages", Values: examples(t)[name],
				Upgrade: upgrade, Lint: true})
		}
	}
	ask.Kustomize = []string{"../kubernetes", mustOverlay(t)}
	made := mustAsk(t, ask)
	check := map[string]string{}
	for i, r := range made.Releases {
		if r.Error != "" || len(r.Lint) > 0 {
			t.Errorf("%s: refused: %s, lint: %q", names[i/2], r.Error, r.Lint)
		}
		for file, text := range r.Files {
			check[fmt.Sprintf("%s, %s, %d", names[i/2], file, i%2)] = text
		}
	}
	for i, k := range made.Kustomize {
		if k.Error != "" {
			t.Errorf("kustomize: %s", k.Error)
		}
		check[fmt.Sprintf("kustomize %d", i)] = k.Files[ask.Kustomize[i]]
	}
	plain, err := filepath.Glob("../kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../kubernetes/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(plain, more...) {
		if filepath.Base(name) != "kustomization.yaml" { // which kustomize has read above
			check[name] = mustRead(t, name)
		}
	}
	if len(check) < 60 {
		t.Errorf("only %d files were found", len(check))
	}
	// What is wrong is found, or this test would hold nothing.
	wrong := map[string]string{
		"a field that is not known": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {port: [{port: 80}]}\n",
		"a kind that is not known":  "apiVersion: v1\nkind: Servant\nmetadata: {name: a}\n",
		"a field that is missing":   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {}}\n",
		"an Ingress that leads nowhere": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a}\n" +
			"spec: {rules: [{http: {paths: [{path: /, pathType: Prefix}]}}]}\n",
		"an autoscaler without a limit": "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\n" +
			"spec: {scaleTargetRef: {kind: Deployment, name: a}}\n",
		"a budget in words": "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n" +
			"spec: {maxUnavailable: {count: 1}}\n",
		"a value of another type": "apiVersion: policy/v1\nkind: PodDisruptionBudget\nspec: {selector: 7}\n",
		"a timeout in days": "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\n" +
			"spec: {rules: [{timeouts: {request: 1d}}]}\n",
		"a rule without an expression": "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a}\n" +
			"spec: {groups: [{name: a, rules: [{alert: a, expression: up}]}]}\n",
	}
	maps.Copy(check, wrong)
	for name, problems := range mustAsk(t, request{Check: check}).Check {
		if _, isWrong := wrong[name]; isWrong == (len(problems) == 0) {
			t.Errorf("%s: Kubernetes says %q", name, problems)
		}
	}
}

// merged puts values over those of an example, as a second file of values does.
func merged(t *testing.T, values ...string) string {
	t.Helper()
	all := map[string]any{}
	for _, text := range values {
		var one map[string]any
		if err := yaml.Unmarshal([]byte(text), &one); err != nil {
			t.Fatal(err)
		}
		merge(all, one)
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func merge(into, from map[string]any) {
	for key, value := range from {
		below, isSection := value.(map[string]any)
		if there, was := into[key].(map[string]any); isSection && was {
			merge(there, below)
		} else {
			into[key] = value
		}
	}
}

// mustOverlay makes a kustomization over the plain manifests, with the Gateway API in the
// place of the Ingress.
func mustOverlay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	base, err := filepath.Abs("../kubernetes")
	if err == nil {
		base, err = filepath.Rel(dir, base)
	}
	text := fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [%s]\n"+
		"components: [%s]\n",
		base, filepath.Join(base, "gateway"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Plain manifests with the Gateway API have its route in the place of the Ingress, and let
// the gateway in.
func TestPlainManifestsTakeTheGatewayAPI(t *testing.T) {
	t.Parallel()
	dir := mustOverlay(t)
	made := mustAsk(t, request{Kustomize: []string{dir, "../kubernetes"}}).Kustomize
	all, base := objects(t, made[0].Files), objects(t, made[1].Files)
	if all["Ingress/signet"] != nil || base["HTTPRoute/signet"] != nil || len(all) != len(base) {
		t.Errorf("there are %q with the Gateway API, and %q without", slices.Sorted(maps.Keys(all)),
			slices.Sorted(maps.Keys(base)))
	}
	route := all["HTTPRoute/signet"]
	for path, want := range map[string]string{
		"metadata.namespace": "signet", "spec.rules.0.matches.0.path.value": "/v2/events",
		"spec.rules.0.timeouts.request": "0s", "spec.rules.0.backendRefs.0.name": "signet",
		"spec.rules.0.backendRefs.0.port": "80", "spec.rules.1.timeouts.request": "0s",
	} {
		if got := route.text(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	from := "spec.ingress.0.from.0.namespaceSelector.matchLabels"
	if got, was := all["NetworkPolicy/signet"].text(from), base["NetworkPolicy/signet"].text(from); got == was {
		t.Errorf("the network policy still lets in %s", got)
	}
}
