#!/usr/bin/env bash
# kubectl-commands.sh KUBERNETES BINARIES DIRECTORY [WHAT]: runs upstream's tests of kubectl's commands on the embedded API
# server. KUBERNETES is upstream's source, BINARIES the directory of its kubectl and kubectl-convert. WHAT names some of the
# tests, such as "nodes wait"; by default all of them run. WHEELHOUSE is the command that starts the service.
set -o errexit -o nounset -o pipefail
KUBE_ROOT=$(cd "$1" && pwd) binaries=$(cd "$2" && pwd) TMPDIR=$3 WHAT=${4:-}
wheelhouse=${WHEELHOUSE:-java -jar $(cd "$(dirname "$0")/../.." && pwd)/target/wheelhouse-exec.jar}
unset KUBECONFIG
export TMPDIR WHAT ALLOW_SKEW=1 SECURE_API_PORT=${SECURE_API_PORT:-16443}
export KUBE_OUTPUT_SUBPATH=wheelhouse
rm -rf "$TMPDIR"
mkdir -p "$TMPDIR/bin"
# The file that one test reads from the internet is the one of the source.
cat > "$TMPDIR/bin/kubectl" <<SCRIPT
#!/bin/bash
exec "$binaries/kubectl" "\${@/#https:\/\/raw.githubusercontent.com\/kubernetes\/kubernetes\/master/$KUBE_ROOT}"
SCRIPT
chmod +x "$TMPDIR/bin/kubectl"
cp "$binaries/kubectl-convert" "$TMPDIR/bin"
cd "$KUBE_ROOT"
# The tests' server has other addresses of Services, and no admission of service accounts.
sed -i 's/10\.0\.0\.12/10.96.0.12/' hack/testdata/service-revision2.yaml test/cmd/apply.sh
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh
export THIS_PLATFORM_BIN=$TMPDIR/bin KUBE_OUTPUT_HOSTBIN=$TMPDIR/bin PATH=$TMPDIR/bin:$PATH
make() { :; }
kube::etcd::start() { :; }
kube::etcd::cleanup() { :; }
setup
$wheelhouse --wheelhouse.mode=embedded --wheelhouse.apiserver.port="$SECURE_API_PORT" \
    --wheelhouse.apiserver.tls-self-signed=true --wheelhouse.apiserver.kubeconfig="$TMPDIR/wheelhouse.kubeconfig" \
    --wheelhouse.apiserver.token-auth-file=hack/testdata/auth-tokens.csv \
    --wheelhouse.apiserver.client-ca-file=hack/testdata/ca/ca.crt \
    --wheelhouse.cluster-signing-cert-file=hack/testdata/ca/ca.crt \
    --wheelhouse.cluster-signing-key-file=hack/testdata/ca/ca.key \
    --wheelhouse.controllers='*,-serviceaccount-controller' \
    --wheelhouse.nodes.count=0 --wheelhouse.nodes.storage=false --server.port=0 > "$TMPDIR/server.log" 2>&1 &
APISERVER_PID=$!
kube::util::wait_for_url_with_bearer_token "https://127.0.0.1:$SECURE_API_PORT/healthz" admin-token apiserver 1 120
until grep -q "is ready" "$TMPDIR/server.log"; do sleep 1; done
sed -n 's/.*certificate-authority-data: *"\{0,1\}\([^"]*\).*/\1/p' "$TMPDIR/wheelhouse.kubeconfig" |
    base64 -d > "$TMPDIR/apiserver.crt"
# The condition is the one that the controller of nodes gives to a node whose kubelet never reports.
kubectl create -f - <<YAML
{apiVersion: v1, kind: Node, metadata: {name: 127.0.0.1, annotations: {save-managers: "true"}}, status: {capacity: {memory: 1Gi},
  conditions: [{type: Ready, status: Unknown, reason: NodeStatusNeverUpdated}]}}
YAML
export SUPPORTED_RESOURCES=("*")
runTests
