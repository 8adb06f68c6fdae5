{{- /* The labels that select the pods of a component. Call with (list . "component"). */ -}}
{{- define "bookshop.selector" -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end }}

{{- define "bookshop.labels" -}}
{{ include "bookshop.selector" . }}
app.kubernetes.io/part-of: bookshop
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
{{- end }}
