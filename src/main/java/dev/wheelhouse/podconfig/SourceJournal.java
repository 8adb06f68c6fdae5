package dev.wheelhouse.podconfig;

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

import dev.wheelhouse.runtime.Clock;

/**
 * How a source fares: when it was read, and what it refuses now, by file or URL. Each refusal is said once, and again only when it changes: in the log, and to
 * whoever hears of rejected pods, for each pod that runs on from the last good manifest. Thread safe.
 */
final class SourceJournal {
    private static final Logger log = LoggerFactory.getLogger(SourceJournal.class);

    private static final int REMEMBERED = 20;

    private final String source;
    private final RejectedPods rejected;
    private final PodSourceMetrics metrics;
    private final Clock clock;
    private final Map<String, Refusal> current = new LinkedHashMap<>();
    private final ArrayDeque<Entry> history = new ArrayDeque<>();
    private @Nullable Instant lastRead;
    private String failure = "";

    private record Entry(Instant at, Refusal refusal) {}

    SourceJournal(String source, RejectedPods rejected, PodSourceMetrics metrics, Clock clock) {
        this.source = source;
        this.rejected = rejected;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** The source was read. What it says may still be refused. */
    synchronized void read() {
        lastRead = clock.now();
        failure = "";
        metrics.read(source, true);
    }

    /** The source could not be read. */
    synchronized void failed(String why) {
        failure = why;
        metrics.read(source, false);
    }

    /** @param from the path or URL */
    synchronized SourceReport report(String from) {
        return new SourceReport(source, from, lastRead, failure,
                history.stream().map(e -> new SourceReport.Refused(e.at, e.refusal,
                        current.get(e.refusal.location()) == e.refusal)).toList());
    }

    /** @param runningOn the pods of the last manifest there that was good */
    void refuse(Refusal refusal, List<V1Pod> runningOn) {
        synchronized (this) {
            if (refusal.equals(current.get(refusal.location()))) {
                return;
            }
            current.put(refusal.location(), refusal);
            history.addFirst(new Entry(clock.now(), refusal));
            if (history.size() > REMEMBERED) {
                history.removeLast();
            }
        }
        metrics.refused(source);
        log.warn("manifest refused: {}{}", refusal,
                runningOn.isEmpty()
                        ? ""
                        : "; what it said before runs on: "
                                + runningOn.stream().map(PodSources::describe).toList());
        runningOn.forEach(pod -> rejected.rejected(source, pod, refusal + "; the pod runs on as it was"));
    }

    /** The manifest at a location is good, or gone. */
    void clear(String location) {
        boolean was;
        synchronized (this) {
            was = current.remove(location) != null;
        }
        if (was) {
            log.info("manifest {} is no longer refused", location);
        }
    }

    synchronized List<Refusal> list() {
        return new ArrayList<>(current.values());
    }

    synchronized List<String> locations() {
        return new ArrayList<>(current.keySet());
    }
}
