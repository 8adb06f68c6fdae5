package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1Pod;

/**
 * What a source refuses now, by file or URL. Each refusal is said once, and again only when it changes: in the log, and to
 * whoever hears of rejected pods, for each pod that runs on from the last good manifest. Thread safe.
 */
final class Refusals {
    private static final Logger log = LoggerFactory.getLogger(Refusals.class);

    private final String source;
    private final RejectedPods rejected;
    private final Map<String, Refusal> current = new LinkedHashMap<>();

    Refusals(String source, RejectedPods rejected) {
        this.source = source;
        this.rejected = rejected;
    }

    /** @param runningOn the pods of the last manifest there that was good */
    void refuse(Refusal refusal, List<V1Pod> runningOn) {
        synchronized (this) {
            if (refusal.equals(current.put(refusal.location(), refusal))) {
                return;
            }
        }
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
