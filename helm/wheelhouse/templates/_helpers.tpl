{{- define "wheelhouse.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "wheelhouse.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "wheelhouse.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "wheelhouse.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "wheelhouse.selectorLabels" -}}
app.kubernetes.io/name: {{ include "wheelhouse.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The label component is the job of the metrics: the monitors name it as their jobLabel. */ -}}
{{- define "wheelhouse.componentLabels" -}}
{{ include "wheelhouse.selectorLabels" . }}
app.kubernetes.io/component: {{ include "wheelhouse.job" . }}
{{- end }}

{{- /* Upstream's name only in its place: beside it, alerts about the one would be quiet while the other is up. */ -}}
{{- define "wheelhouse.job" -}}
{{- .Values.metrics.job | default (ternary "kube-controller-manager" "wheelhouse" (eq .Values.wheelhouse.manage "takeover")) }}
{{- end }}

{{- define "wheelhouse.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "wheelhouse.componentLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* The argument is the root, or has the root and more labels. */ -}}
{{- define "wheelhouse.labels" -}}
{{- $root := .root | default . }}
{{- merge (include "wheelhouse.ownLabels" $root | fromYaml) (.more | default dict) ($root.Values.commonLabels | default dict) | toYaml }}
{{- end }}

{{- define "wheelhouse.metadata" -}}
{{- $root := .root | default . -}}
name: {{ include "wheelhouse.fullname" $root }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "wheelhouse.labels" . | nindent 2 }}
{{- end }}

{{- /* The chart's fields under those of a value, in which null removes a field. A value of an older chart is absent. */ -}}
{{- define "wheelhouse.under" -}}
{{- $fields := fromYaml .fields }}
{{- range $field, $value := .value }}
{{- if kindIs "invalid" $value }}
{{- $fields = omit $fields $field }}
{{- else }}
{{- $_ := set $fields $field $value }}
{{- end }}
{{- end }}
{{- toYaml $fields }}
{{- end }}

{{- /* A probe of a path. A question of the value takes the place of the chart's. */ -}}
{{- define "wheelhouse.probe" -}}
{{- $fields := fromYaml .fields }}
{{- if not (pick (.value | default dict) "httpGet" "exec" "tcpSocket" "grpc") }}
{{- $get := dict "path" (print "/actuator/health/" .path) "port" "http" }}
{{- if (.root.Values.tls).secretName }}{{ $_ := set $get "scheme" "HTTPS" }}{{ end }}
{{- $_ := set $fields "httpGet" $get }}
{{- end }}
{{- include "wheelhouse.under" (dict "value" .value "fields" (toYaml $fields)) }}
{{- end }}

{{- define "wheelhouse.milliseconds" -}}
{{- mul (regexFind "^[0-9]+" .) (get (dict "ms" 1 "s" 1000 "m" 60000) (regexFind "[a-z]+$" .)) }}
{{- end }}

{{- define "wheelhouse.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "wheelhouse.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "wheelhouse.image" -}}
{{- with .Values.image }}
{{- .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "wheelhouse.containerSecurity" -}}
{{- include "wheelhouse.under" (dict "value" .Values.securityContext "fields" `
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
`) }}
{{- end }}

{{- define "wheelhouse.podSecurity" -}}
{{- include "wheelhouse.under" (dict "value" .Values.podSecurityContext "fields" `
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
`) }}
{{- end }}

{{- /* "yes" if a controller runs: the first entry that names it decides, then the entry "*". */ -}}
{{- define "wheelhouse.runs" -}}
{{- $names := prepend .aliases .name }}
{{- $decided := "" }}
{{- range .controllers }}
{{- if and (not $decided) (has (trimPrefix "-" .) $names) }}
{{- $decided = ternary "no" "yes" (hasPrefix "-" .) }}
{{- end }}
{{- end }}
{{- if eq ($decided | default (ternary "yes" "no" (and (has "*" .controllers) (not .named)))) "yes" }}yes{{ end }}
{{- end }}

{{- /*
The rules in files/rights.yaml of the controllers that run. The argument has the release's root, and the namespace of
the rules, which is empty for rules of the whole cluster.
*/}}
{{- define "wheelhouse.rules" -}}
{{- $namespace := .namespace }}
{{- $wheelhouse := .root.Values.wheelhouse }}
{{- $last := "" }}
{{- range $name, $rights := .root.Files.Get "files/rights.yaml" | fromYaml }}
{{- $controller := dict "name" $name "controllers" $wheelhouse.controllers | merge (pick $rights "aliases" "named") }}
{{- if include "wheelhouse.runs" $controller }}
{{- range $rights.rules }}
{{- $verbs := .verbs }}
{{- if eq $wheelhouse.manage "observe" }}
{{- $verbs = list }}
{{- range .verbs }}{{ if has . (list "get" "list" "watch") }}{{ $verbs = append $verbs . }}{{ end }}{{ end }}
{{- end }}
{{- if and $verbs (eq (.namespace | default "") $namespace) }}
{{- if ne $last $name }}
# {{ $name }}
{{- $last = $name }}
{{- end }}
- apiGroups: {{ toJson .apiGroups }}
  resources: {{ toJson .resources }}
  verbs: {{ toJson $verbs }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The rules for a Lease of a name. Who may update it may create it, and with shards has those of shards too. */}}
{{- define "wheelhouse.leaseRules" -}}
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  resourceNames: [{{ .lease | quote }}]
  verbs: {{ toJson .verbs }}
{{- if has "update" .verbs }}
# RBAC cannot limit a creation to a name.
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  verbs: ["create"]
{{- end }}
{{- if and (has "update" .verbs) (gt (int .shards) 1) }}
# The Leases of shards and of replicas. The names of the replicas are not known before.
- apiGroups: ["coordination.k8s.io"]
  resources: ["leases"]
  verbs: ["get", "list", "update", "delete"]
{{- end }}
{{- end }}
