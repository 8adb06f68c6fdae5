package dev.wheelhouse.console;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.chrome.ChromeDriver;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.RunningService;
import dev.wheelhouse.Workloads;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.PatchType;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console in a real Chromium while the readiness of pods changes all the time: no view blocks the page, and lists
 * have pages. The figures are printed; those of {@code -Dconsole.pods=10000} are in docs/monitoring.md.
 */
@Tag("full")
@Timeout(1200)
class ConsoleUnderLoadTest {
    private static final int PODS = Integer.getInteger("console.pods", 500);
    private static final int CHANGES_A_SECOND = Integer.getInteger("console.changes", 250);
    private static final int SECONDS = Integer.getInteger("console.seconds", 4);
    private static final Duration SOON = Duration.ofMinutes(5);
    private static final int MOST_ELEMENTS = 4000;
    /** On a machine that other tests share; the time of a block is that of a clock. */
    private static final Duration LONGEST_BLOCK = Duration.ofSeconds(3);
    /** The share of a core that the page's main thread may take, in percent. */
    private static final double MOST_CPU = 50;
    private static final List<String> VIEWS = List.of("flow", "objects?type=pods",
            "object?type=deployments.apps&namespace=shop&name=fleet", "why", "controllers");
    private static final String OBSERVE = """
            window.seen = {tasks: 0, blocked: 0, longest: 0, gap: 0, drawn: 0};
            new PerformanceObserver(list => list.getEntries().forEach(task => {
              seen.tasks++;
              seen.blocked += task.duration;
              seen.longest = Math.max(seen.longest, task.duration);
            })).observe({type: 'longtask'});
            let last = performance.now();
            setInterval(() => {
              const now = performance.now();
              seen.gap = Math.max(seen.gap, now - last);
              last = now;
            }, 10);
            new MutationObserver(() => seen.drawn++).observe(document.querySelector('main'),
              {subtree: true, childList: true, characterData: true, attributes: true});
            """;
    private static final String TURN_PAGE = """
            const done = arguments[arguments.length - 1];
            const began = performance.now();
            new MutationObserver((changes, observer) => {
              if (document.querySelector('.pager')?.textContent.includes(' 101 to 200 ')) {
                observer.disconnect();
                done(performance.now() - began);
              }
            }).observe(document.querySelector('main'), {subtree: true, childList: true, characterData: true});
            [...document.querySelectorAll('.pager a')].pop().click();
            """;

    @TempDir
    private Path directory;

    private volatile boolean ended;
    private volatile long changed;

    @Test
    void noViewBlocksThePageAndListsHavePages() throws Exception {
        Chromium.requireOrSkip();
        try (RunningService service = RunningService.start(directory, "--wheelhouse.controllers=deployment,replicaset",
                "--wheelhouse.scheduler=false", "--logging.level.dev.wheelhouse=warn")) {
            Workloads shop = new Workloads(service.bean(KubeClient.class), "shop");
            shop.deployments().create(shop.newDeployment("fleet", PODS));
            eventually("there are " + PODS + " pods", SOON, () -> {
                LockSupport.parkNanos(500_000_000);
                return shop.podsLabelled("fleet").size() == PODS;
            });
            List<ObjectKey> pods = shop.podsLabelled("fleet").stream().map(ObjectKey::of).toList();
            Thread changes = Thread.ofPlatform().name("changes").start(() -> change(shop, pods));
            ChromeDriver chromium = Chromium.start(directory.resolve("profile"));
            try {
                for (String view : VIEWS) {
                    watch(chromium, service.actuator().replace("/actuator", "/"), view);
                }
            } finally {
                chromium.quit();
                ended = true;
                changes.join();
            }
        }
    }

    /** Changes the readiness of one pod after the other. */
    private void change(Workloads shop, List<ObjectKey> pods) {
        long began = System.nanoTime();
        for (long i = 0; !ended; i++) {
            long due = began + i * 1_000_000_000L / CHANGES_A_SECOND;
            while (System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            boolean ready = i / pods.size() % 2 == 0;
            V1Pod pod = shop.pods().patch(pods.get((int) (i % pods.size())), "status", PatchType.STRATEGIC_MERGE, """
                    {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "%s"}]}}"""
                    .formatted(ready ? "True" : "False"));
            assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
            changed++;
        }
    }

    /** The processor time of the main thread's tasks so far. */
    @SuppressWarnings("unchecked")
    private static double cpuMillis(ChromeDriver chromium) {
        List<Map<String, Object>> metrics = (List<Map<String, Object>>) chromium
                .executeCdpCommand("Performance.getMetrics", Map.of()).get("metrics");
        return metrics.stream().filter(metric -> metric.get("name").equals("TaskDuration"))
                .mapToDouble(metric -> ((Number) metric.get("value")).doubleValue() * 1000).sum();
    }

    private void watch(ChromeDriver chromium, String home, String view) {
        chromium.get(home);
        chromium.executeScript("location.hash = arguments[0]", "#/" + view);
        eventually("the view " + view, SOON, () -> Boolean.TRUE.equals(chromium.executeScript(
                "return document.querySelector('main[aria-busy]') === null"
                        + " && document.querySelector('#live').textContent === 'live'")));
        chromium.executeCdpCommand("Performance.enable", Map.of("timeDomain", "threadTicks"));
        chromium.executeScript(OBSERVE);
        double cpuBefore = cpuMillis(chromium);
        long before = changed;
        long began = System.nanoTime();
        eventually("the time has passed, and new states of " + view + " were shown", SOON, () -> {
            LockSupport.parkNanos(100_000_000);
            return System.nanoTime() - began > Duration.ofSeconds(SECONDS).toNanos()
                    && ((Number) chromium.executeScript("return seen.drawn")).intValue() > 1;
        });
        double seconds = (System.nanoTime() - began) / 1e9;
        double rate = (changed - before) / seconds;
        double cpu = cpuMillis(chromium) - cpuBefore;
        @SuppressWarnings("unchecked")
        Map<String, Number> seen = (Map<String, Number>) chromium.executeScript(
                "return {...seen, elements: document.getElementsByTagName('*').length}");
        int drawn = seen.get("drawn").intValue();
        System.out.printf(Locale.ROOT, "| %s | %.0f | %d | %.1f | %d | %.0f | %.0f | %.0f | %d |%n", view, rate,
                drawn, cpu / 10 / seconds, seen.get("tasks").intValue(),
                seen.get("blocked").doubleValue(), seen.get("longest").doubleValue(), seen.get("gap").doubleValue(),
                seen.get("elements").intValue());
        assertThat(cpu / 10 / seconds).as("percent of a core for " + view).isLessThan(MOST_CPU);
        assertThat(seen.get("gap").doubleValue()).as("the longest block at " + view)
                .isLessThan(LONGEST_BLOCK.toMillis());
        assertThat(seen.get("elements").intValue()).as("elements at " + view).isLessThan(MOST_ELEMENTS);
        if (view.startsWith("objects")) {
            Object millis = chromium.executeAsyncScript(TURN_PAGE);
            System.out.println("the next page of pods came after " + millis + " ms");
            assertThat(chromium.executeScript("return document.querySelectorAll('table.objects tbody tr').length"))
                    .isEqualTo(100L);
        }
    }
}
