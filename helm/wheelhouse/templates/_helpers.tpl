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
app.kubernetes.io/component: {{ .Values.metrics.job }}
{{- end }}

{{- define "wheelhouse.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "wheelhouse.componentLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "wheelhouse.metadata" -}}
name: {{ include "wheelhouse.fullname" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "wheelhouse.labels" . | nindent 2 }}
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
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end }}

{{- define "wheelhouse.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
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
