{{/* The settings in config, as variables: a map in a map is a section, as in the program's file. */}}
{{- define "signet.configured" -}}
{{- $prefix := .prefix -}}
{{- range $key, $value := .settings -}}
{{- $name := printf "%s_%s" $prefix (upper $key) -}}
{{- if kindIs "map" $value -}}
{{ include "signet.configured" (dict "prefix" $name "settings" $value) }}
{{- else if kindIs "slice" $value }}
{{ $name }}: {{ join "," $value | quote }}
{{- else if kindIs "float64" $value }}
{{ $name }}: {{ printf (ternary "%.0f" "%g" (eq (floor $value) $value)) $value | quote }}
{{- else }}
{{ $name }}: {{ toString $value | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* All settings that are no secrets. */}}
{{- define "signet.settings" -}}
SIGNET_LISTEN: 0.0.0.0:8080
SIGNET_METRICS_LISTEN: {{ printf "0.0.0.0:%d" (int .Values.metrics.port) | quote }}
SIGNET_DATA: /var/lib/signet
SIGNET_BASE_URL: {{ .Values.baseURL | quote }}
SIGNET_MASTER_KEY: env:MASTER_KEY
{{- /* For commands in the pod. The certificate is not for the loopback address. */}}
SIGNET_URL: {{ ternary .Values.baseURL "http://127.0.0.1:8080" (not (empty .Values.tls.existingSecret)) | quote }}
SIGNET_SHUTDOWN_DELAY: {{ printf "%ds" (int .Values.shutdown.delaySeconds) }}
SIGNET_SHUTDOWN_GRACE: {{ printf "%ds" (int .Values.shutdown.graceSeconds) }}
{{- with .Values.trustedProxies }}
SIGNET_TRUSTED_PROXIES: {{ join "," . | quote }}
{{- end }}
{{- with .Values.blobs.location }}
SIGNET_BLOBS: {{ . | quote }}
{{- end }}
{{- if .Values.tls.existingSecret }}
SIGNET_TLS_CERT: /etc/signet/tls/tls.crt
SIGNET_TLS_KEY: /etc/signet/tls/tls.key
{{- end }}
{{- with .Values.nats }}
{{- if .login.kind }}
SIGNET_NATS_LOGIN: {{ .login.kind }}:/etc/signet/nats-login/{{ .login.key }}
{{- end }}
{{- if .ca.configMap }}
SIGNET_NATS_CA: /etc/signet/nats-ca/{{ .ca.key }}
{{- end }}
{{- if .clientCertificate.existingSecret }}
SIGNET_NATS_CERT: /etc/signet/nats-client/tls.crt
SIGNET_NATS_KEY: /etc/signet/nats-client/tls.key
{{- end }}
{{- end }}
{{- if .Values.trustedCA.configMap }}
SSL_CERT_DIR: /etc/signet/ca
{{- end }}
{{- $given := include "signet.configured" (dict "prefix" "SIGNET" "settings" .Values.config) | trim }}
{{- if not (contains "SIGNET_LOG_FORMAT:" $given) }}
SIGNET_LOG_FORMAT: json
{{- end }}
{{- with $given }}
{{ . }}
{{- end }}
{{- end -}}

{{/* A variable from a key of a Secret. */}}
{{- define "signet.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: {name: {{ .secret | quote }}, key: {{ .key | quote }}}
{{- end -}}

{{/* All settings that are secrets. */}}
{{- define "signet.secrets" -}}
{{- with .Values }}
{{- if ne .store "embedded" }}
{{ include "signet.fromSecret" (dict "name" "SIGNET_DATABASE" "secret" .database.existingSecret "key" .database.key) }}
{{ include "signet.fromSecret" (dict "name" "SIGNET_KEYRING" "secret" .keyring.existingSecret "key" .keyring.key) }}
{{- end }}
{{- with .keyring.copy }}
{{- if .existingSecret }}
{{ include "signet.fromSecret" (dict "name" "SIGNET_KEYRING_COPY" "secret" .existingSecret "key" .key) }}
{{- end }}
{{- end }}
{{ include "signet.fromSecret" (dict "name" "MASTER_KEY" "secret" .masterKey.existingSecret "key" .masterKey.key) }}
{{- with .nats }}
{{- if .existingSecret }}
{{ include "signet.fromSecret" (dict "name" "SIGNET_NATS" "secret" .existingSecret "key" .key) }}
{{- end }}
{{- end }}
{{- with .blobs }}
{{- if .existingSecret }}
{{ include "signet.fromSecret" (dict "name" "AWS_ACCESS_KEY_ID" "secret" .existingSecret "key" .accessKeyIDKey) }}
{{ include "signet.fromSecret" (dict "name" "AWS_SECRET_ACCESS_KEY" "secret" .existingSecret "key" .secretAccessKeyKey) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
