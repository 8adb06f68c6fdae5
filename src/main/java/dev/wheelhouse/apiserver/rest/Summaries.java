package dev.wheelhouse.apiserver.rest;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.core.JacksonException;

import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.metrics.NodeUsages;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.runtime.Clock;

/** The usage that the kubelets of nodes report. An answer, and that there is none, counts for a few seconds. */
record Summaries(Kubelets kubelets, ServerInfo.KubeletCaller caller, Clock clock,
        Map<String, Said> known) implements NodeUsages {
    private static final Logger log = LoggerFactory.getLogger(Summaries.class);
    private static final Duration KEPT = Duration.ofSeconds(5);

    private record Said(Usage usage, long until) {}

    Summaries(Kubelets kubelets, ServerInfo.KubeletCaller caller, Clock clock) {
        this(kubelets, caller, clock, new ConcurrentHashMap<>());
    }

    @Override
    public @Nullable Usage of(String node) {
        ApiResponse.Live.Forward summary;
        try {
            summary = kubelets.summary(node);
        } catch (StatusException e) {
            return Usage.UNKNOWN;
        }
        if (summary == null) {
            known.remove(node);
            return null;
        }
        return known.compute(node, (name, said) -> said != null && clock.nanoTime() - said.until < 0
                ? said
                : new Said(read(name, summary), clock.deadline(KEPT))).usage;
    }

    private Usage read(String node, ApiResponse.Live.Forward summary) {
        try {
            return Usage.of(Json.read(caller.get(summary)));
        } catch (IOException | JacksonException | ArithmeticException e) {
            log.debug("the node {} does not say what it uses", node, e);
            return Usage.UNKNOWN;
        }
    }
}
