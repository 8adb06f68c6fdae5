package main

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
)

func (p *peer) latency() {
	pods, rate := number("BENCH_PODS", 10000), number("BENCH_RATE", 2000)
	warm, events := number("BENCH_WARM", 10000), number("BENCH_EVENTS", 20000)
	sinks := newSinks(1)
	s := sinks[0]
	informer, stop := p.informer(sinks)
	defer stop()
	awaitSync(informer)
	awaitHandled(informer, sinks, pods)
	s.expect(warm)
	p.get(fmt.Sprintf("/bench/emit?watchers=1&rate=%d&n=%d", rate, warm))
	<-s.reached
	time.Sleep(500 * time.Millisecond)
	s.latency = make([]int64, events)
	s.expect(events)
	cpu, start := cpuSeconds(), time.Now()
	p.get(fmt.Sprintf("/bench/emit?watchers=1&rate=%d&n=%d", rate, events))
	<-s.reached
	used, seconds := cpuSeconds()-cpu, time.Since(start).Seconds()
	slices.Sort(s.latency)
	at := func(share float64) int64 { return s.latency[int(float64(events)*share)] }
	p.out["pods"], p.out["rate"], p.out["events"] = pods, rate, events
	p.out["p50_us"], p.out["p90_us"], p.out["p99_us"], p.out["p999_us"] = at(0.5), at(0.9), at(0.99), at(0.999)
	p.out["max_us"] = s.latency[events-1]
	p.out["cpu_s_per_100k"], p.out["cpu_pct"] = used*1e5/float64(events), used/seconds*100
}

func (p *peer) queue() {
	producers, consumers := number("BENCH_PRODUCERS", 4), number("BENCH_CONSUMERS", 4)
	items := number("BENCH_ITEMS", 250000)
	p.out["producers"], p.out["consumers"] = producers, consumers
	for _, kind := range []string{"workqueue", "ratelimiting"} {
		for _, pattern := range []string{"unique", "hot"} {
			var rates, cpus []float64
			for round := range 7 {
				rate, cpu := queueRound(kind, producers, consumers, keys(producers, items, pattern == "hot"))
				if round >= 2 {
					rates, cpus = append(rates, rate), append(cpus, cpu)
				}
			}
			slices.Sort(rates)
			slices.Sort(cpus)
			p.out[kind+"_"+pattern+"_adds_per_s"] = int64(rates[2])
			p.out[kind+"_"+pattern+"_cpu_s_per_1m"] = cpus[2]
		}
	}
}

func keys(producers, items int, hot bool) [][]string {
	few := make([]string, 1000)
	for i := range few {
		few[i] = fmt.Sprintf("team-%d/service-%d", i%20, i)
	}
	all := make([][]string, producers)
	for p := range all {
		all[p] = make([]string, items)
		for i := range all[p] {
			if hot {
				all[p][i] = few[(i*31+p*250)%1000]
			} else {
				all[p][i] = fmt.Sprintf("team-%d/service-%d-%d", i%20, p, i)
			}
		}
	}
	return all
}

// queueRound lasts until nothing is left that was added and not done. It returns adds per second and CPU seconds per
// million adds.
func queueRound(kind string, producers, consumers int, keys [][]string) (float64, float64) {
	var queue workqueue.TypedInterface[string]
	forget := func(string) {}
	if kind == "workqueue" {
		queue = workqueue.NewTyped[string]()
	} else {
		limited := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
		queue, forget = limited, limited.Forget
	}
	var adding, taking sync.WaitGroup
	begin := make(chan struct{})
	for _, mine := range keys {
		adding.Go(func() {
			<-begin
			for _, key := range mine {
				queue.Add(key)
			}
		})
	}
	for range consumers {
		taking.Go(func() {
			for {
				key, shutDown := queue.Get()
				if shutDown {
					return
				}
				forget(key)
				queue.Done(key)
			}
		})
	}
	cpu, start := cpuSeconds(), time.Now()
	close(begin)
	adding.Wait()
	queue.ShutDown()
	taking.Wait()
	seconds, total := time.Since(start).Seconds(), float64(producers*len(keys[0]))
	return total / seconds, (cpuSeconds() - cpu) * 1e6 / total
}
