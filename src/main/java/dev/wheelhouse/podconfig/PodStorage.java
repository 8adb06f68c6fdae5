package dev.wheelhouse.podconfig;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
 * The merged pods of every source, and the only producer of {@link PodUpdates} (upstream: {@code podStorage} in
 * {@code pkg/kubelet/config/config.go}). One lock covers each merge and its delivery, so that changes are delivered in
 * the order of the merges. Thread safe.
 */
public final class PodStorage {
    private static final Logger log = LoggerFactory.getLogger(PodStorage.class);

    private final PodUpdates updates;
    private final RejectionListener rejected;
    private final Meter.MeterProvider<Counter> changed;
    private final Clock clock;
    private final Map<String, Source> sources = new LinkedHashMap<>();

    private static final class Source {
        private Map<String, V1Pod> pods = Map.of();
        private boolean seen;
        private @Nullable Instant lastMessage;
        private List<PodMerge.Rejected> rejected = List.of();
    }

    /**
     * The state of one source.
     *
     * @param seen whether it has sent a full set
     * @param lastMessage the time of its last message; null if there was none
     * @param pods its pods, as merged
     * @param rejected the pods of its last message that were left out, and why
     */
    public record SourceState(String source, boolean seen, @Nullable Instant lastMessage, List<V1Pod> pods,
            List<PodMerge.Rejected> rejected) {}

    PodStorage(PodUpdates updates, RejectionListener rejected, MeterRegistry registry, Clock clock) {
        this.updates = updates;
        this.rejected = rejected;
        this.changed = Counter.builder("pod.source.changes").description("Pods that a source changed")
                .withRegistry(registry);
        this.clock = clock;
    }

    /**
     * Merges a message and puts the changes into the stream. Does nothing if the stream is full. The first full set of
     * a source always results in an ADD, UPDATE or DELETE, if necessary in an empty ADD, because that marks the source
     * as seen.
     *
     * @return whether the message was merged
     */
    synchronized boolean merge(PodUpdate incoming) {
        if (!updates.hasRoom()) {
            return false;
        }
        Source source = sources.computeIfAbsent(incoming.source(), name -> new Source());
        Instant now = clock.now();
        PodMerge.Merged merged = PodMerge.merge(source.pods, incoming, now);
        List<PodUpdate> changes = new ArrayList<>(merged.updates());
        boolean first = incoming.operation() == PodOperation.SET && !source.seen;
        if (first && changes.stream().allMatch(u -> u.operation() == PodOperation.REMOVE
                || u.operation() == PodOperation.RECONCILE)) {
            int removes = changes.isEmpty() || changes.get(0).operation() != PodOperation.REMOVE ? 0 : 1;
            changes.add(removes, new PodUpdate(PodOperation.ADD, incoming.source(), List.of()));
        }
        report(incoming, source, merged.rejected());
        source.seen |= first;
        source.pods = merged.next();
        source.lastMessage = now;
        updates.addAll(changes);
        changes.forEach(c -> changed.withTags("source", c.source(), "operation",
                c.operation().name().toLowerCase(Locale.ROOT)).increment(c.pods().size()));
        return true;
    }

    /** Logs and reports the pods that were left out, once each until the reason changes. */
    private void report(PodUpdate incoming, Source source, List<PodMerge.Rejected> now) {
        for (PodMerge.Rejected pod : now) {
            if (source.rejected.stream().noneMatch(before -> before.why().equals(pod.why()))) {
                log.warn("pod {} from {} is ignored: {}", PodSources.describe(pod.pod()), incoming.source(), pod.why());
                rejected.rejected(incoming.source(), pod.pod(), pod.why());
            }
        }
        source.rejected = now;
    }

    /** Whether all of these sources have sent a full set. */
    synchronized boolean seen(Collection<String> names) {
        return names.stream().allMatch(name -> {
            Source source = sources.get(name);
            return source != null && source.seen;
        });
    }

    /** The state of every source. */
    public synchronized List<SourceState> states() {
        return sources.entrySet().stream().map(e -> new SourceState(e.getKey(), e.getValue().seen,
                e.getValue().lastMessage, List.copyOf(e.getValue().pods.values()), e.getValue().rejected)).toList();
    }
}
