package dev.wheelhouse.spring;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;

/**
 * The states of all informers under {@code /actuator/informers}, and of one resource under
 * {@code /actuator/informers/pods} or {@code /actuator/informers/deployments.apps}.
 */
@Endpoint(id = "informers")
record InformersEndpoint(List<InformerStates> sources, Clock clock) {
    /**
     * One informer. Components without an explanation are as in {@link InformerState}.
     *
     * @param notSynced why the cache has not synced; null if it has
     * @param lagSeconds the most that the cache can lag behind the server; null before the server's first message
     * @param lastDecodeError may quote an object, so only authorized viewers get it; null for others
     */
    record Informer(String resource, String version, String namespace, String selector, boolean synced,
            @Nullable String notSynced, int objects, String resourceVersion, @Nullable Instant lastEvent,
            @Nullable Double lagSeconds, InformerState.@Nullable Failure lastFailure, long bytesReceived, long events,
            Map<String, Long> relists, Map<String, Long> watchEnds, long decodeErrors,
            @Nullable String lastDecodeError, long queued, List<Handler> handlers) {}

    record Handler(String name, boolean synced, int pending, long calls, long failed, long conflations,
            double totalSeconds, double longestSeconds) {}

    /** All informers. */
    @ReadOperation
    public Map<String, List<Informer>> informers(SecurityContext viewer) {
        return Map.of("informers", sources.stream().flatMap(source -> source.states().stream())
                .map(state -> describe(state, viewer)).toList());
    }

    /** The informers of one resource; null, which becomes the status 404, if there is none. */
    @ReadOperation
    public @Nullable Map<String, List<Informer>> informersOf(SecurityContext viewer, @Selector String resource) {
        List<Informer> found = sources.stream().flatMap(source -> source.states().stream())
                .filter(state -> state.type().groupResource().equals(resource)).map(state -> describe(state, viewer))
                .toList();
        return found.isEmpty() ? null : Map.of("informers", found);
    }

    private Informer describe(InformerState state, SecurityContext viewer) {
        InformerState.Counts counts = state.counts();
        var lag = state.lag(clock.now());
        return new Informer(state.type().groupResource(), state.type().version(), state.namespace(), state.selector(),
                state.synced(), state.synced() ? null : state.reasonNotSynced(), state.objects(),
                state.resourceVersion(), state.lastEvent(), lag == null ? null : lag.toMillis() / 1000.0,
                state.lastFailure(), counts.bytesReceived(), counts.events(), counts.relists(), counts.watchEnds(),
                counts.decodeErrors(), viewer.getPrincipal() == null ? null : counts.lastDecodeError(), counts.queued(),
                state.handlers().stream().map(InformersEndpoint::describe).toList());
    }

    private static Handler describe(InformerState.Handler handler) {
        return new Handler(handler.name(), handler.synced(), handler.pending(), handler.calls(), handler.failed(),
                handler.conflations(), handler.time().toNanos() / 1e9, handler.longest().toNanos() / 1e9);
    }
}
