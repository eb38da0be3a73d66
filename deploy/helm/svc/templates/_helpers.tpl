{{- define "svc.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "svc.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "svc.secret" -}}
{{- if and .Values.secrets.existing .Values.secrets.files -}}
{{- fail "set secrets.existing or secrets.files, not both" -}}
{{- end -}}
{{- .Values.secrets.existing | default (include "svc.name" .) -}}
{{- end -}}

{{/* Seconds of a duration such as 5s or 31m. */}}
{{- define "svc.seconds" -}}
{{- if hasSuffix "m" . -}}{{ mul (trimSuffix "m" .) 60 }}{{- else -}}{{ trimSuffix "s" . | int }}{{- end -}}
{{- end -}}

{{/* The whole configuration, as JSON, which is YAML. */}}
{{- define "svc.config" -}}
{{- $given := .Values.config.server | default dict -}}
{{- if or (hasKey $given "drain_delay") (hasKey $given "drain_timeout") -}}
{{- fail "set drain.delay and drain.timeout instead of server.drain_delay and server.drain_timeout in config" -}}
{{- end -}}
{{- $server := merge (dict "drain_delay" .Values.drain.delay "drain_timeout" .Values.drain.timeout) $given -}}
{{- merge (dict "server" $server) .Values.config | toPrettyJson -}}
{{- end -}}

{{- define "svc.scheme" -}}
{{- if (.Values.config.server | default dict).tls -}}HTTPS{{- else -}}HTTP{{- end -}}
{{- end -}}

{{- define "svc.databasePort" -}}
{{- regexFind ":[0-9]+(/|$)" (regexReplaceAll "^[^@]*@" .Values.postgres.url "") | trimAll ":/" | default "5432" -}}
{{- end -}}
