{{- /* Ends with one sentence if values contradict each other, which the schema cannot say. */ -}}
{{- define "wheelhouse.validate" -}}
{{- $election := .Values.leaderElection }}
{{- if not $election.enabled }}
{{- if gt (int .Values.replicaCount) 1 }}
{{- fail (printf "replicaCount is %d, and leaderElection.enabled is false: all the pods would act. Enable leaderElection, or set replicaCount to 1" (int .Values.replicaCount)) }}
{{- end }}
{{- if gt (int .Values.shards) 1 }}
{{- fail (printf "shards is %d, and leaderElection.enabled is false: shards are led by Leases. Enable leaderElection, or set shards to 1" (int .Values.shards)) }}
{{- end }}
{{- end }}
{{- $lease := include "wheelhouse.milliseconds" $election.leaseDuration | int64 }}
{{- $renew := include "wheelhouse.milliseconds" $election.renewDeadline | int64 }}
{{- $retry := include "wheelhouse.milliseconds" $election.retryPeriod | int64 }}
{{- if le $lease $renew }}
{{- fail (printf "leaderElection.leaseDuration is %s, and renewDeadline is %s: another pod would lead while the old leader still acts. Make leaseDuration longer than renewDeadline" $election.leaseDuration $election.renewDeadline) }}
{{- end }}
{{- if le (mul $renew 5) (mul $retry 6) }}
{{- fail (printf "leaderElection.renewDeadline is %s, and retryPeriod is %s: the leader would give up before its second attempt. Make renewDeadline longer than 1.2 times retryPeriod" $election.renewDeadline $election.retryPeriod) }}
{{- end }}
{{- $grace := .Values.wheelhouse.stopGrace | default "2s" }}
{{- with .Values.terminationGracePeriodSeconds }}
{{- if le (mul . 1000) (include "wheelhouse.milliseconds" $grace | int64) }}
{{- fail (printf "terminationGracePeriodSeconds is %d, and wheelhouse.stopGrace is %s: pods would be killed while syncs end. Make terminationGracePeriodSeconds longer, or leave it out" (int .) $grace) }}
{{- end }}
{{- end }}
{{- if and .Values.metrics.serviceMonitor.enabled .Values.metrics.podMonitor.enabled }}
{{- fail "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are both true: each pod would be scraped twice. Enable one of them" }}
{{- end }}
{{- with .Values.console }}
{{- if and (.ingress).enabled (not .enabled) }}
{{- fail "console.ingress.enabled is true, and console.enabled is false: the Ingress would lead nowhere. Enable the console, or disable its Ingress" }}
{{- end }}
{{- if and (.ingress).enabled (not .ingress.hosts) }}
{{- fail "console.ingress.enabled is true, and console.ingress.hosts is empty: the pods answer only to names that they know. Set console.ingress.hosts" }}
{{- end }}
{{- end }}
{{- /* Upstream's controllers that are not part of Wheelhouse may be named, and need no rights. */}}
{{- $names := list "*" "cloud-node-lifecycle-controller" "cloud-node-lifecycle" "kube-apiserver-serving-clustertrustbundle-publisher-controller" "node-route-controller" "route" "podcertificaterequest-cleaner-controller" "podgroup-protection-controller" "resourcepoolstatusrequest-controller" "selinux-warning-controller" "service-lb-controller" "service" "storage-version-migrator-controller" "svm" "storageversion-garbage-collector-controller" "storage-version-gc" }}
{{- range $name, $rights := .Files.Get "files/rights.yaml" | fromYaml }}
{{- $names = concat $names (prepend $rights.aliases $name) }}
{{- end }}
{{- range .Values.wheelhouse.controllers }}
{{- if not (has (trimPrefix "-" .) $names) }}
{{- fail (printf "wheelhouse.controllers has %s, and there is no such controller: the names are in https://wheelhouse.dev/docs/taking-over.md#the-controllers" .) }}
{{- end }}
{{- end }}
{{- /* Options without "-", in small letters, as Spring Boot compares them, and the chart's value for each, if any. */}}
{{- $values := fromYaml `
server.port: containerPort
management.server.port: containerPort
server.ssl.bundle: tls
server.ssl.certificate: tls
server.ssl.keystore: tls
server.ssl.enabled: tls
server.address: ""
wheelhouse.mode: ""
wheelhouse.controllers: wheelhouse.controllers
wheelhouse.manage: wheelhouse.manage
wheelhouse.workers: wheelhouse.workers
wheelhouse.stopgrace: wheelhouse.stopGrace
wheelhouse.shards: shards
wheelhouse.leaderelection.enabled: leaderElection.enabled
wheelhouse.leaderelection.resourcename: fullnameOverride
wheelhouse.leaderelection.leaseduration: leaderElection.leaseDuration
wheelhouse.leaderelection.renewdeadline: leaderElection.renewDeadline
wheelhouse.leaderelection.retryperiod: leaderElection.retryPeriod
wheelhouse.console.enabled: console.enabled
wheelhouse.console.writable: console.writable
` }}
{{- $options := concat (keys .Values.wheelhouse.properties) .Values.extraArgs }}
{{- range .Values.extraEnv }}
{{- $options = append $options (.name | default "" | replace "_" ".") }}
{{- end }}
{{- range $options }}
{{- $option := regexReplaceAll "=.*" (trimPrefix "--" .) "" }}
{{- $key := $option | replace "-" "" | lower }}
{{- if hasKey $values $key }}
{{- $remedy := get $values $key | empty | ternary "leave it out" (printf "set the value %s instead" (get $values $key)) }}
{{- fail (printf "wheelhouse.properties, extraArgs or extraEnv has %s, which the chart sets: %s" $option $remedy) }}
{{- end }}
{{- end }}
{{- end }}
