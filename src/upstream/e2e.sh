#!/usr/bin/env bash
# e2e.sh E2E_TEST KUBECONFIG DIRECTORY FOCUS [SKIP]: runs upstream's end-to-end specs on a cluster of hollow nodes.
# E2E_TEST is upstream's program e2e.test; ginkgo, kubectl, openssl and python3 are on the PATH. The report is written into the
# directory. PROCS is the number of specs at a time, 3 by default; PORT is the port of the webhook, 25443 by default.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
test=$(realpath "$1") kubeconfig=$(realpath "$2") out=$(realpath "$3") focus=$4 skip=${5:-}
port=${PORT:-25443}
export HOLLOW_FILES=$out/files
rm -rf "$HOLLOW_FILES"
mkdir -p "$HOLLOW_FILES"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=hollow-webhook \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$out/webhook.key" -out "$out/webhook.crt" 2>/dev/null
python3 "$here/hollow-webhook.py" "$port" "$out/webhook.crt" "$out/webhook.key" "$HOLLOW_FILES" &
webhook=$!
trap 'kill $webhook' EXIT
KUBECONFIG=$kubeconfig kubectl apply -f - <<YAML
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hollow.wheelhouse.dev}
webhooks:
- name: pods.hollow.wheelhouse.dev
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://127.0.0.1:$port/", caBundle: $(base64 -w0 "$out/webhook.crt")}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
YAML
cd "$out"
ginkgo --procs="${PROCS:-3}" --timeout=3h --no-color --keep-going --json-report=report.json --output-dir="$out" \
    --focus="$focus" --skip="$skip" "$test" -- --provider=skeleton --kubeconfig="$kubeconfig" \
    --kubectl-path="$here/kubectl" --e2e-verify-service-account=false --disable-log-dump=true \
    --allowed-not-ready-nodes=10 > out.log 2>&1
