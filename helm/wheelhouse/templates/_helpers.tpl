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
{{- if eq ($decided | default (ternary "yes" "no" (has "*" .controllers))) "yes" }}yes{{ end }}
{{- end }}
