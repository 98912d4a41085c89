{{/*
What the schema cannot say in words that help: values that are missing, or that do not go
together. Each sentence names the value, and what to do.
*/}}
{{- define "signet.problems" -}}
{{- $v := .Values -}}
{{- if not $v.image.repository }}
- image.repository: name the image that you pushed to your registry (that of a release, or of deploy/Dockerfile)
{{- end }}
{{- if not (or $v.image.digest $v.image.tag) }}
- image.digest: give the digest that "docker push" printed (sha256:...), or image.tag if it may change
{{- end }}
{{- if not $v.baseURL }}
- baseURL: say under which URL clients reach the servers, such as https://signet.example.com
{{- end }}
{{- if and (not $v.trustedProxies) (not $v.tls.existingSecret) (not (dig "insecure_http" false $v.config)) }}
- trustedProxies: give the addresses of the ingress controller or gateway, which speaks TLS and says who the client is; or tls.existingSecret, where clients reach the servers directly
{{- end }}
{{- if and $v.tls.existingSecret (or $v.ingress.enabled $v.gateway.enabled) }}
- tls.existingSecret: it is for clients that reach the Service directly; with ingress or gateway these end TLS, so leave it out
{{- end }}
{{- if and $v.ingress.enabled (not $v.ingress.host) }}
- ingress.host: say by which host clients ask, as in baseURL
{{- end }}
{{- if and $v.gateway.enabled (not $v.gateway.parentRefs) }}
- gateway.parentRefs: name the Gateway that takes the route, as {name: ..., namespace: ...}
{{- end }}
{{- if not $v.masterKey.existingSecret }}
- masterKey.existingSecret: name the Secret with the master key, which "signet keys generate" makes
{{- end }}
{{- if eq $v.store "embedded" }}
{{- if or (ne (int $v.replicas) 1) $v.autoscaling.enabled }}
- store: the embedded store has one server: set replicas to 1 and autoscaling.enabled to false, or store to postgres
{{- end }}
{{- if $v.nats.existingSecret }}
- nats.existingSecret: it is for several servers on one database; the embedded store has one server
{{- end }}
{{- else }}
{{- if not $v.database.existingSecret }}
- database.existingSecret: name the Secret with the address of the database, or set store to embedded
{{- end }}
{{- if not $v.keyring.existingSecret }}
- keyring.existingSecret: name the Secret with the address of the key ring's database, which all servers share
{{- end }}
{{- if and (eq $v.database.existingSecret $v.keyring.existingSecret) (eq $v.database.key $v.keyring.key) }}
- keyring.key: the key ring is in another database than the store, whose copies must not hold the keys
{{- end }}
{{- if not $v.blobs.location }}
- blobs.location: name the bucket that all servers share, as s3://bucket?endpoint=host&region=name
{{- end }}
{{- end }}
{{- if and $v.nats.login.kind (not $v.nats.login.existingSecret) }}
- nats.login.existingSecret: name the Secret with the credentials that nats.login.kind tells of
{{- end }}
{{- if and (not $v.nats.existingSecret) (or $v.nats.login.kind $v.nats.ca.configMap $v.nats.clientCertificate.existingSecret) }}
- nats.existingSecret: nats.login, nats.ca and nats.clientCertificate are for NATS servers, which are not named
{{- end }}
{{- if $v.autoscaling.enabled }}
{{- if gt (int $v.autoscaling.minReplicas) (int $v.autoscaling.maxReplicas) }}
- autoscaling.minReplicas: it is more than autoscaling.maxReplicas
{{- end }}
{{- if and (not $v.autoscaling.streamsPerPod) (not $v.autoscaling.cpuPercent) }}
- autoscaling: set streamsPerPod or cpuPercent, by which there are more servers
{{- end }}
{{- if and $v.autoscaling.cpuPercent (not (dig "requests" "cpu" "" $v.resources)) }}
- resources.requests.cpu: autoscaling.cpuPercent is a part of it
{{- end }}
{{- end }}
{{- if and (eq (toString $v.upgrade.maxSurge) "0") (eq (toString $v.upgrade.maxUnavailable) "0") }}
- upgrade: maxSurge and maxUnavailable cannot both be 0: no server could be replaced
{{- end }}
{{- if le (int $v.upgrade.progressDeadlineSeconds) (mul $v.probes.startup.periodSeconds $v.probes.startup.failureThreshold) }}
- upgrade.progressDeadlineSeconds: it has to be more than probes.startup waits (periodSeconds × failureThreshold)
{{- end }}
{{- if eq (int $v.metrics.port) 8080 }}
- metrics.port: 8080 is the interface's own
{{- end }}
{{- $own := dict "base_url" "baseURL" "trusted_proxies" "trustedProxies" "database" "database.existingSecret" "keyring" "keyring.existingSecret" "keyring.copy" "keyring.copy.existingSecret" "master_key" "masterKey.existingSecret" "nats" "nats.existingSecret" "nats_login" "nats.login" "nats_ca" "nats.ca" "nats_cert" "nats.clientCertificate" "nats_key" "nats.clientCertificate" "blobs" "blobs.location" "tls.cert" "tls.existingSecret" "tls.key" "tls.existingSecret" "metrics.listen" "metrics.port" "shutdown.delay" "shutdown.delaySeconds" "shutdown.grace" "shutdown.graceSeconds" }}
{{- $none := list "listen" "data" "redirect_listen" "acme.hosts" "acme.email" "acme.directory" }}
{{- $keys := list }}
{{- range $section, $value := $v.config }}
{{- if kindIs "map" $value }}
{{- range $key, $_ := $value }}{{ $keys = append $keys (printf "%s.%s" $section $key) }}{{ end }}
{{- else }}
{{- $keys = append $keys $section }}
{{- end }}
{{- end }}
{{- range $keys }}
{{- if hasKey $own . }}
- config.{{ . }}: set {{ get $own . }} in its place
{{- else if has . $none }}
- config.{{ . }}: the chart says where servers listen and store, and Kubernetes has the certificates: leave it out
{{- end }}
{{- end }}
{{- end -}}

{{- define "signet.validate" -}}
{{- with include "signet.problems" . | trim }}
{{- fail (printf "these values cannot be used:\n%s\n(deploy/helm/signet/README.md has all of them)" .) }}
{{- end }}
{{- end -}}
