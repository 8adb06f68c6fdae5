#!/bin/sh
# Measures workloads by the real kube-controller-manager and by Wheelhouse on one real kube-apiserver:
# workloads.sh [percent of the full size, 100] [contestants, REAL,OURS]. beside-real.sh says what it needs. BENCH_OPTIONS
# may hold -Drounds=3, which repeats all phases in one process of each contestant, -Donly='Jobs.*', which chooses phases
# by their titles, -Dreads=true, which counts reads as well as writes, -Dcontrollers='*', the controllers of both, and
# -Dmanager.program='-jar FILE', a packed service.
exec "$(dirname "$0")/beside-real.sh" WorkloadBenchmark "${1:-100}" "${2:-REAL,OURS}"
