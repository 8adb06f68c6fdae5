#!/bin/sh
# Measures the real kube-controller-manager and Wheelhouse on one real kube-apiserver while nothing happens:
# rest.sh [percent of 5,000 pods, 500 nodes and 300 Services, 100] [minutes, 5] [contestants, REAL,OURS].
# beside-real.sh says what it needs.
exec "$(dirname "$0")/beside-real.sh" RestBenchmark "${1:-100}" "${2:-5}" "${3:-REAL,OURS}"
