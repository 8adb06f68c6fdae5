package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ContainerState;
import dev.wheelhouse.node.cri.proto.Cri.ContainerStats;
import dev.wheelhouse.runtime.Clock;

/**
 * The CPU and memory that containers and the machine use. It is measured when somebody asks, so it costs nothing at
 * rest: a rate is that since an earlier question at least {@link #WINDOW} ago, and at the first one that since the
 * start (upstream: {@code pkg/kubelet/stats/cri_stats_provider.go}). Thread safe.
 */
final class NodeUsage {
    private static final Duration WINDOW = Duration.ofSeconds(10);
    /** The unit of the times in {@code /proc/stat}: user space sees a hundredth of a second on all architectures. */
    private static final long TICK_NANOS = 10_000_000;
    private static final Pattern CPU = Pattern.compile("cpu +(.*)");
    private static final Pattern UPTIME = Pattern.compile("(\\d+)\\.(\\d\\d) .*");

    private final String node;
    private final CriService cri;
    private final Clock clock;
    private final Path proc;
    private Map<String, Measured> last = Map.of();

    /**
     * The usage of one container, or of the machine.
     *
     * @param cpuNanos the CPU time since the start
     * @param since where the rate begins: an earlier time and the CPU time of then
     * @param rate billionths of a CPU
     */
    record Measured(long at, long cpuNanos, Point since, long rate, long memory) {
        private record Point(long at, long cpuNanos) {}

        /** @param before the measurement before; null if there was none */
        static Measured of(long started, long at, long cpuNanos, long memory, @Nullable Measured before) {
            if (before == null || cpuNanos < before.cpuNanos) {
                Point start = new Point(started, 0);
                return new Measured(at, cpuNanos, new Point(at, cpuNanos), rate(start, at, cpuNanos), memory);
            }
            return at - before.since.at < WINDOW.toNanos()
                    ? new Measured(at, cpuNanos, before.since, before.rate, memory)
                    : new Measured(at, cpuNanos, new Point(at, cpuNanos), rate(before.since, at, cpuNanos), memory);
        }

        private static long rate(Point from, long at, long cpuNanos) {
            return at <= from.at ? 0 : Math.round((cpuNanos - from.cpuNanos) * 1e9 / (at - from.at));
        }
    }

    private record Of(String namespace, String pod, String uid, String container, long started, Measured used) {
        String cpu() {
            return Usage.seconds(used.cpuNanos) + " " + used.at / 1_000_000;
        }

        String memory() {
            return used.memory + " " + used.at / 1_000_000;
        }
    }

    /** The usage at one time. */
    record Usage(String node, Measured machine, List<Of> containers) {
        /** As {@code /stats/summary} of a kubelet, without what nobody here measures. */
        String summary() {
            List<Object> pods = new ArrayList<>();
            containers.stream().collect(Collectors.groupingBy(Of::uid)).forEach((uid, all) -> pods.add(Map.of("podRef",
                    Map.of("name", all.getFirst().pod, "namespace", all.getFirst().namespace, "uid", uid), "containers",
                    all.stream().map(each -> shown(each.used, Map.of("name", each.container))).toList())));
            return ModelJson.write(Map.of("node", shown(machine, Map.of("nodeName", node)), "pods", pods));
        }

        private static Map<String, Object> shown(Measured used, Map<String, Object> named) {
            String time = Instant.ofEpochSecond(0, used.at).toString();
            Map<String, Object> shown = new LinkedHashMap<>(named);
            shown.put("cpu", Map.of("time", time, "usageNanoCores", used.rate, "usageCoreNanoSeconds", used.cpuNanos));
            shown.put("memory", Map.of("time", time, "workingSetBytes", used.memory));
            return shown;
        }

        /** As {@code /metrics/resource} of a kubelet, in Prometheus' text format. */
        String metrics() {
            StringBuilder text = new StringBuilder();
            metric(text, "container_cpu_usage_seconds_total counter", containers, Of::cpu);
            metric(text, "container_memory_working_set_bytes gauge", containers, Of::memory);
            metric(text, "container_start_time_seconds gauge", containers, each -> seconds(each.started));
            List<Of> alone = List.of(new Of("", "", "", "", 0, machine));
            metric(text, "node_cpu_usage_seconds_total counter", alone, Of::cpu);
            metric(text, "node_memory_working_set_bytes gauge", alone, Of::memory);
            metric(text, "resource_scrape_error gauge", alone, each -> "0");
            return text.toString();
        }

        private static String seconds(long nanos) {
            return String.format(Locale.ROOT, "%.9f", nanos / 1e9);
        }

        private static String labels(Of each) {
            return each.pod.isEmpty()
                    ? ""
                    : "{container=\"" + each.container + "\",namespace=\"" + each.namespace + "\",pod=\"" + each.pod
                            + "\"}";
        }

        private static void metric(StringBuilder text, String nameAndType, List<Of> of, Function<Of, String> value) {
            text.append("# TYPE ").append(nameAndType).append('\n');
            for (Of each : of) {
                text.append(nameAndType, 0, nameAndType.indexOf(' ')).append(labels(each))
                        .append(' ').append(value.apply(each)).append('\n');
            }
        }
    }

    NodeUsage(String node, CriService cri, Clock clock, Path proc) {
        this.node = node;
        this.cri = cri;
        this.clock = clock;
        this.proc = proc;
    }

    /** @throws IOException if the machine does not say what it uses */
    synchronized Usage read() throws IOException {
        Map<String, String> mine = Map.of(Configs.NODE, node);
        Map<String, Long> started = cri.containers(mine).stream()
                .filter(each -> each.getState() == ContainerState.CONTAINER_RUNNING)
                .collect(Collectors.toMap(Container::getId, Container::getCreatedAt));
        Map<String, Measured> now = new HashMap<>();
        List<Of> containers = new ArrayList<>();
        for (ContainerStats each : cri.usage(mine)) {
            Long start = started.get(each.getAttributes().getId());
            if (start == null || !each.hasCpu()) {
                continue;
            }
            Measured used = Measured.of(start, each.getCpu().getTimestamp(),
                    each.getCpu().getUsageCoreNanoSeconds().getValue(),
                    each.getMemory().getWorkingSetBytes().getValue(), last.get(each.getAttributes().getId()));
            now.put(each.getAttributes().getId(), used);
            Map<String, String> labels = each.getAttributes().getLabelsMap();
            containers.add(new Of(labels.getOrDefault(Configs.POD_NAMESPACE, ""),
                    labels.getOrDefault(Configs.POD_NAME, ""), labels.getOrDefault(Configs.POD_UID, ""),
                    each.getAttributes().getMetadata().getName(), start, used));
        }
        Measured machine = machine();
        now.put("", machine);
        last = now;
        return new Usage(node, machine, containers);
    }

    private Measured machine() throws IOException {
        Instant time = clock.now();
        long at = time.getEpochSecond() * 1_000_000_000 + time.getNano();
        Matcher cpu = CPU.matcher(firstLine("stat"));
        Matcher uptime = UPTIME.matcher(firstLine("uptime"));
        if (!cpu.matches() || !uptime.matches()) {
            throw new IOException(proc + " says nothing about the CPUs");
        }
        // The fields are user, nice, system, idle, iowait, irq, softirq and steal.
        long[] ticks = Stream.of(cpu.group(1).split(" ")).limit(8).mapToLong(Long::parseLong).toArray();
        long busy = 0;
        for (int i = 0; i < ticks.length; i++) {
            busy += i == 3 || i == 4 ? 0 : ticks[i];
        }
        long up = (Long.parseLong(uptime.group(1)) * 100 + Long.parseLong(uptime.group(2))) * TICK_NANOS;
        return Measured.of(at - up, at, busy * TICK_NANOS,
                CriNode.memory(proc, "MemTotal") - CriNode.memory(proc, "MemAvailable"), last.get(""));
    }

    private String firstLine(String file) throws IOException {
        try (Stream<String> lines = Files.lines(proc.resolve(file))) {
            return lines.findFirst().orElse("");
        }
    }
}
