#!/bin/sh
# Hands rollouts over from the real kube-controller-manager to Wheelhouse and back, on one real kube-apiserver, and counts
# the pods that are made and deleted: takeover.sh [Deployments of 5 pods, 200]. beside-real.sh says what it needs.
exec "$(dirname "$0")/beside-real.sh" TakeoverBenchmark "${1:-200}"
