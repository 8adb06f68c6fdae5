// A contestant of the informer benchmark: one shared informer of client-go in its default configuration.
//
//	client-go json|protobuf
//
// The task comes from the environment, as the benchmark's README says.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const stampKey = "bench/emit-micros"

var touchSpec = os.Getenv("BENCH_TOUCH") != "meta"

func main() {
	encoding := "protobuf"
	if len(os.Args) > 1 {
		encoding = os.Args[1]
	}
	peer := &peer{url: env("BENCH_URL", "http://127.0.0.1:8080"), encoding: encoding, out: map[string]any{}}
	scenario := env("BENCH_SCENARIO", "sync")
	peer.out["peer"] = env("BENCH_PEER", "client-go-"+encoding)
	peer.out["scenario"] = scenario
	peer.out["runtime"] = runtime.Version()
	switch scenario {
	case "sync":
		peer.sync()
	case "events":
		peer.events()
	case "latency":
		peer.latency()
	case "queue":
		peer.queue()
	default:
		fail("no scenario %q", scenario)
	}
	rest, err := json.Marshal(peer.out)
	check(err)
	// The driver knows the line by its first member.
	fmt.Printf("{\"bench\":1,%s\n", rest[1:])
}

type peer struct {
	url      string
	encoding string
	out      map[string]any
}

// sink receives the calls of one handler.
type sink struct {
	adds, updates, target atomic.Int64
	reached               chan struct{}
	lastMicros            int64
	latency               []int64 // Microseconds by arrival; nil while nothing is measured.
	at                    int
	touched               int
}

func (s *sink) expect(more int) {
	s.reached = make(chan struct{})
	s.target.Store(s.updates.Load() + int64(more))
}

func (s *sink) updated(pod *v1.Pod) {
	var now int64
	if s.at < len(s.latency) {
		now = time.Now().UnixMicro()
		stamp, err := strconv.ParseInt(pod.Annotations[stampKey], 10, 64)
		check(err)
		s.latency[s.at] = now - stamp
		s.at++
	} else {
		s.touched += len(pod.Annotations[stampKey])
	}
	if touchSpec {
		s.touched += len(pod.Spec.NodeName) + len(pod.Spec.Containers) + len(pod.Status.Phase)
	}
	if s.updates.Add(1) == s.target.Load() {
		if now == 0 {
			now = time.Now().UnixMicro()
		}
		s.lastMicros = now
		close(s.reached)
	}
}

// informer starts an informer of the pods of all namespaces, with the index by namespace.
func (p *peer) informer(sinks []*sink) (cache.SharedIndexInformer, context.CancelFunc) {
	config := &rest.Config{Host: p.url, QPS: -1}
	if p.encoding == "protobuf" {
		config.ContentType = "application/vnd.kubernetes.protobuf"
		config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	}
	client, err := kubernetes.NewForConfig(config)
	check(err)
	pods := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
	informer := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(pods, client), &v1.Pod{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, s := range sinks {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { s.adds.Add(1) },
			UpdateFunc: func(_, pod any) { s.updated(pod.(*v1.Pod)) },
		})
		check(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go informer.RunWithContext(ctx)
	return informer, cancel
}

func awaitSync(informer cache.SharedIndexInformer) {
	for !informer.HasSynced() {
		time.Sleep(500 * time.Microsecond)
	}
}

func awaitHandled(informer cache.SharedIndexInformer, sinks []*sink, pods int) {
	for _, s := range sinks {
		for s.adds.Load() < int64(pods) {
			time.Sleep(500 * time.Microsecond)
		}
	}
	if size := len(informer.GetStore().ListKeys()); size != pods {
		fail("the cache has %d pods instead of %d", size, pods)
	}
}

func (p *peer) sync() {
	pods, runs := number("BENCH_PODS", 10000), number("BENCH_RUNS", 3)
	p.get("/bench/stats")
	base := retained()
	p.out["pods"] = pods
	for run := range runs {
		name := []string{"cold", "warm", "warm2", "warm3", "warm4", "warm5"}[min(run, 5)]
		sinks := newSinks(1)
		cpu, start := cpuSeconds(), time.Now()
		informer, stop := p.informer(sinks)
		awaitSync(informer)
		p.out[name+"_sync_ms"] = millis(time.Since(start))
		awaitHandled(informer, sinks, pods)
		p.out[name+"_handled_ms"] = millis(time.Since(start))
		p.out[name+"_cpu_s"] = cpuSeconds() - cpu
		if run == 0 {
			p.out["rss_after_sync_mb"] = statusMB("VmRSS")
			p.out["retained_bytes_per_pod"] = (retained() - base) / int64(pods)
			p.out["rss_after_gc_mb"] = statusMB("VmRSS")
			p.out["rss_peak_mb"] = statusMB("VmHWM")
		}
		runtime.KeepAlive(informer)
		stop()
		time.Sleep(300 * time.Millisecond)
		runtime.GC()
		time.Sleep(300 * time.Millisecond)
	}
}

func (p *peer) events() {
	pods, handlers := number("BENCH_PODS", 10000), number("BENCH_HANDLERS", 1)
	warm, events, rounds := number("BENCH_WARM", 50000), number("BENCH_EVENTS", 100000), number("BENCH_ROUNDS", 2)
	sinks := newSinks(handlers)
	informer, stop := p.informer(sinks)
	defer stop()
	awaitSync(informer)
	awaitHandled(informer, sinks, pods)
	p.out["pods"], p.out["handlers"], p.out["events"] = pods, handlers, events
	best := 0.0
	for round := range rounds + 1 {
		n := events
		if round == 0 {
			n = warm
		}
		for _, s := range sinks {
			s.expect(n)
		}
		server, cpu := p.field("/bench/stats", "cpuMicros"), cpuSeconds()
		start := p.field(fmt.Sprintf("/bench/emit?rate=0&watchers=1&n=%d", n), "startMicros")
		var end int64
		for _, s := range sinks {
			<-s.reached
			end = max(end, s.lastMicros)
		}
		scale := 1e5 / float64(n)
		used := (cpuSeconds() - cpu) * scale
		rate := float64(n) * 1e6 / float64(end-start)
		if round == 0 {
			p.out["first_events_per_s"], p.out["first_cpu_s_per_100k"] = rate, used
		} else if rate > best {
			best = rate
			p.out["events_per_s"], p.out["cpu_s_per_100k"] = rate, used
			p.out["server_cpu_s_per_100k"] = float64(p.field("/bench/stats", "cpuMicros")-server) / 1e6 * scale
		}
	}
	p.out["rss_peak_mb"] = statusMB("VmHWM")
}

func (p *peer) get(path string) []byte {
	answer, err := http.Get(p.url + path)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	return body
}

func (p *peer) field(path, name string) int64 {
	var answer map[string]any
	body := p.get(path)
	check(json.Unmarshal(body, &answer))
	value, ok := answer[name].(float64)
	if !ok {
		fail("%s has no %s: %s", path, name, body)
	}
	return int64(value)
}

func newSinks(n int) []*sink {
	sinks := make([]*sink, n)
	for i := range sinks {
		sinks[i] = &sink{}
		sinks[i].target.Store(-1)
	}
	return sinks
}

// retained is the used heap after full collections, once it stands still.
func retained() int64 {
	last := int64(1) << 62
	for range 6 {
		runtime.GC()
		time.Sleep(100 * time.Millisecond)
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		used := int64(stats.HeapAlloc)
		if used >= last-64<<10 && used <= last+64<<10 {
			return used
		}
		last = used
	}
	return last
}

func statusMB(key string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, key+":"); found {
			kilobytes, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			check(err)
			return kilobytes / 1024
		}
	}
	return -1
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

func millis(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func number(name string, otherwise int) int {
	value, err := strconv.Atoi(env(name, strconv.Itoa(otherwise)))
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
