package dev.wheelhouse.podconfig;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.runtime.Clock;

/**
 * The journal of one source: the last read, and the current refusals by file or URL. Each refusal is logged once, and
 * again if it changes. For each pod that keeps running from the last good manifest, {@link RejectionListener} gets a
 * report at once, and again every half hour while the refusal lasts, because Events expire after an hour. Thread safe.
 */
final class SourceJournal {
    private static final Logger log = LoggerFactory.getLogger(SourceJournal.class);

    private static final int REMEMBERED = 20;
    static final Duration REPEAT = Duration.ofMinutes(30);

    private final String source;
    private final RejectionListener rejected;
    private final Meter.MeterProvider<Counter> reads;
    private final Meter.MeterProvider<Counter> refusals;
    private final Clock clock;
    private final Map<String, Current> current = new LinkedHashMap<>();
    private final ArrayDeque<Entry> history = new ArrayDeque<>();
    private @Nullable Instant lastRead;
    private String failure = "";

    private record Entry(Instant at, Refusal refusal) {}

    private record Current(Refusal refusal, long repeatAt) {}

    SourceJournal(String source, RejectionListener rejected, MeterRegistry registry, Clock clock) {
        this.source = source;
        this.rejected = rejected;
        this.reads = Counter.builder("pod.source.reads").description("Reads of a pod source").tag("source", source)
                .withRegistry(registry);
        this.refusals = Counter.builder("pod.source.refusals").description("Manifests that were refused")
                .tag("source", source).withRegistry(registry);
        this.clock = clock;
    }

    /** Records that the source was read. Its content may still be refused. */
    synchronized void read() {
        lastRead = clock.now();
        failure = "";
        reads.withTag("result", "success").increment();
    }

    /** Records that the source could not be read. */
    synchronized void failed(String why) {
        failure = why;
        reads.withTag("result", "error").increment();
    }

    /** @param from the path or URL of the source */
    synchronized SourceReport report(String from) {
        return new SourceReport(source, from, lastRead, failure,
                history.stream().map(e -> new SourceReport.Refused(e.at, e.refusal, isCurrent(e.refusal))).toList());
    }

    private boolean isCurrent(Refusal refusal) {
        Current now = current.get(refusal.location());
        return now != null && now.refusal == refusal;
    }

    /**
     * Records a refusal.
     * @param runningOn the pods of the last good manifest at this location
     */
    void refuse(Refusal refusal, List<V1Pod> runningOn) {
        boolean news;
        synchronized (this) {
            Current before = current.get(refusal.location());
            news = before == null || !before.refusal.equals(refusal);
            if (before != null && !news && clock.nanoTime() < before.repeatAt) {
                return;
            }
            current.put(refusal.location(),
                    new Current(news || before == null ? refusal : before.refusal, clock.deadline(REPEAT)));
            if (news) {
                history.addFirst(new Entry(clock.now(), refusal));
            }
            if (history.size() > REMEMBERED) {
                history.removeLast();
            }
        }
        if (news) {
            refusals.withTags().increment();
            log.warn("a manifest is refused: {}{}", refusal, runningOn.isEmpty()
                    ? ""
                    : "; the pods of its last good version keep running: "
                            + runningOn.stream().map(PodSources::describe).toList());
        }
        runningOn.forEach(pod -> rejected.rejected(source, pod, refusal + "; the pod keeps running unchanged"));
        if (runningOn.isEmpty()) {
            rejected.refused(source, refusal);
        }
    }

    /** Ends the refusal of a location, because the manifest is good or was deleted. */
    void clear(String location) {
        boolean was;
        synchronized (this) {
            was = current.remove(location) != null;
        }
        if (was) {
            log.info("the manifest {} is no longer refused", location);
        }
    }

    synchronized List<Refusal> list() {
        return current.values().stream().map(Current::refusal).toList();
    }

    synchronized List<String> locations() {
        return new ArrayList<>(current.keySet());
    }
}
