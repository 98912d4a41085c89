package helm

import (
	"strings"
	"testing"
)

// refused are values that are wrong, given after those of an example, and what is said of them.
var refused = []struct{ example, values, said string }{
	// By the schema: a name that is none, another type, a value that is out of its limits.
	{"ingress", "replica: 5", "additional properties 'replica' not allowed"},
	{"ingress", "replicas: three", "at '/replicas': got string, want integer"},
	{"ingress", "replicas: 0", "at '/replicas': minimum: got 0, want 1"},
	{"ingress", "store: mysql", "at '/store': value must be one of 'postgres', 'embedded'"},
	{"ingress", "service: {type: External}", "at '/service/type': value must be one of"},
	{"ingress", "image: {pullPolicy: Sometimes}", "at '/image/pullPolicy': value must be one of"},
	{"ingress", "image: {digest: latest}", "at '/image/digest': 'latest' does not match pattern"},
	{"ingress", "baseURL: signet.example.com", "at '/baseURL': 'signet.example.com' does not match pattern"},
	{"ingress", "metrics: {port: 99999}", "at '/metrics/port': maximum: got 99,999, want 65,535"},
	{"ingress", "config: {limits: {messages_a_day: 5}}",
		"at '/config/limits': additional properties 'messages_a_day' not allowed"},
	{"ingress", "config: {limits: {burst: many}}", "at '/config/limits/burst': got string, want integer"},
	{"ingress", "config: {tracing: {sample: 5}}", "at '/config/tracing/sample': maximum: got 5, want 1"},
	{"ingress", "config: {events: {retention: a month}}",
		"at '/config/events/retention': 'a month' does not match pattern"},
	{"ingress", "config: {log: {access: 1}}", "at '/config/log/access': got number, want boolean"},
	{"ingress", "gateway: {parentRefs: [{namespace: gateways}]}", "missing property 'name'"},
	{"ingress", "nats: {login: {kind: jwt}}", "at '/nats/login/kind': value must be one of"},
	{"ingress", "runAsUser: 0", "at '/runAsUser': minimum: got 0, want 1"},
	{"ingress", "persistence: {size: large}", "at '/persistence/size': 'large' does not match pattern"},

	// By the templates: what is missing, or does not go together.
	{"ingress", "image: {repository: \"\"}", "image.repository: name the image that you pushed"},
	{"ingress", "image: {digest: \"\"}", "image.digest: give the digest"},
	{"ingress", "baseURL: \"\"", "baseURL: say under which URL"},
	{"ingress", "trustedProxies: []", "trustedProxies: give the addresses of the ingress controller"},
	{"ingress", "ingress: {host: \"\"}", "ingress.host: say by which host"},
	{"ingress", "tls: {existingSecret: own}", "tls.existingSecret: it is for clients that reach the Service directly"},
	{"ingress", "database: {existingSecret: \"\"}", "database.existingSecret: name the Secret"},
	{"ingress", "keyring: {existingSecret: \"\"}", "keyring.existingSecret: name the Secret"},
	{"ingress", "keyring: {key: SIGNET_DATABASE}", "keyring.key: the key ring is in another database"},
	{"ingress", "masterKey: {existingSecret: \"\"}", "masterKey.existingSecret: name the Secret"},
	{"ingress", "blobs: {location: \"\"}", "blobs.location: name the bucket"},
	{"ingress", "nats: {ca: {configMap: authorities}}", "nats.existingSecret: nats.login, nats.ca and"},
	{"ingress", "nats: {existingSecret: signet, login: {kind: creds}}", "nats.login.existingSecret: name the Secret"},
	{"ingress", "upgrade: {maxSurge: 0}", "upgrade: maxSurge and maxUnavailable cannot both be 0"},
	{"ingress", "upgrade: {progressDeadlineSeconds: 600}", "upgrade.progressDeadlineSeconds: it has to be more"},
	{"ingress", "metrics: {port: 8080}", "metrics.port: 8080 is the interface's own"},
	{"ingress", "config: {database: \"postgres://x\"}", "config.database: set database.existingSecret in its place"},
	{"ingress", "config: {keyring: {copy: \"file:x\"}}",
		"config.keyring.copy: set keyring.copy.existingSecret in its place"},
	{"ingress", "config: {shutdown: {grace: 1m}}", "config.shutdown.grace: set shutdown.graceSeconds in its place"},
	{"ingress", "config: {listen: \"0.0.0.0:80\"}", "config.listen: the chart says where servers listen"},
	{"ingress", "config: {acme: {hosts: [a.example.com]}}", "config.acme.hosts: the chart says"},
	{"gateway", "gateway: {parentRefs: []}", "gateway.parentRefs: name the Gateway"},
	{"gateway", "autoscaling: {minReplicas: 20}", "autoscaling.minReplicas: it is more than"},
	{"gateway", "autoscaling: {streamsPerPod: 0, cpuPercent: 0}", "autoscaling: set streamsPerPod or cpuPercent"},
	{"gateway", "resources: {requests: {cpu: null}}", "resources.requests.cpu: autoscaling.cpuPercent is a part of it"},
	{"embedded", "replicas: 2", "store: the embedded store has one server"},
	{"embedded", "autoscaling: {enabled: true}", "store: the embedded store has one server"},
	{"embedded", "nats: {existingSecret: signet}", "nats.existingSecret: it is for several servers"},
}

func TestWrongValuesAreRefusedInClearWords(t *testing.T) {
	t.Parallel()
	given := examples(t)
	var releases []release
	for _, c := range refused {
		releases = append(releases, release{Name: "signet", Values: merged(t, given[c.example+".yaml"], c.values)})
	}
	// All that is missing is told at once.
	releases = append(releases, release{Name: "signet"})
	made := mustAsk(t, request{Releases: releases}).Releases
	for i, c := range refused {
		if !strings.Contains(made[i].Error, c.said) {
			t.Errorf("%s with %s: it says %q, want %q", c.example, c.values, made[i].Error, c.said)
		}
	}
	for _, missing := range []string{"image.repository", "image.digest", "baseURL", "trustedProxies", "blobs.location"} {
		if text := made[len(refused)].Error; !strings.Contains(text, "\n- "+missing+": ") {
			t.Errorf("without values it says %q, want also %s", text, missing)
		}
	}
}
