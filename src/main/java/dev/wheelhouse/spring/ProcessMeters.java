package dev.wheelhouse.spring;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

import com.sun.management.UnixOperatingSystemMXBean;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import dev.wheelhouse.facts.Release;

/**
 * The metrics of the process under the names that Prometheus' own clients give them, which dashboards and alerts for
 * Kubernetes' components read. Systems without {@code /proc} have no metrics of memory.
 */
final class ProcessMeters implements MeterBinder {
    private static final Path STATUS = Path.of("/proc/self/status");

    @Override
    public void bindTo(MeterRegistry registry) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            FunctionCounter.builder("process.cpu", system, bean -> bean.getProcessCpuTime() / 1e9).baseUnit("seconds")
                    .description("CPU time of the process").register(registry);
            Gauge.builder("process.open.fds", system, UnixOperatingSystemMXBean::getOpenFileDescriptorCount)
                    .description("Open file descriptors").register(registry);
            Gauge.builder("process.max.fds", system, UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
                    .description("The limit of open file descriptors").register(registry);
            Gauge.builder("process.memory.limit", system, UnixOperatingSystemMXBean::getTotalMemorySize)
                    .baseUnit("bytes").description("The memory of the container, or else of the machine")
                    .register(registry);
        }
        if (Files.exists(STATUS)) {
            memory(registry, "process.virtual.memory", "Virtual memory of the process", "VmSize:");
            memory(registry, "process.resident.memory", "Resident memory of the process", "VmRSS:");
        }
        Gauge.builder("go.goroutines", () -> ManagementFactory.getThreadMXBean().getThreadCount())
                .description("Platform threads, under the name that dashboards of Kubernetes' components read")
                .strongReference(true).register(registry);
        Gauge.builder("kubernetes.build.info", () -> 1)
                .description("The release of Kubernetes whose behaviour this process has")
                .tags("major", Release.MAJOR, "minor", Release.MINOR, "git_version", Release.VERSION, "git_commit", "",
                        "git_tree_state", "clean", "build_date", "1970-01-01T00:00:00Z", "go_version", "none",
                        "compiler",
                        "javac", "platform", System.getProperty("os.name").toLowerCase(Locale.ROOT) + "/"
                                + System.getProperty("os.arch"))
                .strongReference(true).register(registry);
    }

    private static void memory(MeterRegistry registry, String name, String description, String field) {
        Gauge.builder(name, () -> kibibytes(field) * 1024).baseUnit("bytes").description(description)
                .strongReference(true).register(registry);
    }

    private static double kibibytes(String field) {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(field)).mapToDouble(line -> Double.parseDouble(
                    line.substring(field.length()).replace("kB", "").strip())).findFirst().orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
