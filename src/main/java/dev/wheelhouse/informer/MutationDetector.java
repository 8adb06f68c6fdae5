package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.client.ModelJson;

/**
 * Detects changes to cached objects: it keeps each object's JSON from its arrival and compares (upstream: client-go
 * {@code tools/cache/mutation_detector.go}). It costs memory and time, so only tests use it. Thread safe.
 */
final class MutationDetector<T extends KubernetesObject> {
    private static final Logger log = LoggerFactory.getLogger(MutationDetector.class);

    private final String type;
    private final Map<T, String> asTheyCame = new IdentityHashMap<>();
    private final List<String> found = new ArrayList<>();

    MutationDetector(String type) {
        this.type = type;
    }

    synchronized void add(T object) {
        asTheyCame.put(object, ModelJson.write(object));
    }

    synchronized void remove(T object) {
        compare(object, asTheyCame.remove(object), "");
    }

    /**
     * Compares all objects. Logs each change once.
     *
     * @param who has just had the objects in hand; empty if that is not known
     */
    synchronized void check(String who) {
        List<T> changed = new ArrayList<>();
        asTheyCame.forEach((object, before) -> {
            if (compare(object, before, who)) {
                changed.add(object);
            }
        });
        changed.forEach(object -> asTheyCame.put(object, ModelJson.write(object)));
    }

    private boolean compare(T object, @Nullable String before, String who) {
        if (before == null) {
            return false;
        }
        String now = ModelJson.write(object);
        if (now.equals(before)) {
            return false;
        }
        int at = 0;
        while (at < Math.min(now.length(), before.length()) && now.charAt(at) == before.charAt(at)) {
            at++;
        }
        String message = "a cached object was changed" + (who.isEmpty() ? "" : " by " + who) + ": " + type + " "
                + object.getMetadata().getNamespace() + "/"
                + object.getMetadata().getName() + ", from …" + around(before, at) + "… to …" + around(now, at)
                + "…; change a copy (ModelJson.copy) instead";
        found.add(message);
        log.error("{}", message);
        return true;
    }

    private static String around(String json, int at) {
        return json.substring(Math.max(0, at - 40), Math.min(json.length(), at + 40));
    }

    /** @throws IllegalStateException if any object was changed */
    synchronized void verify() {
        check("");
        if (!found.isEmpty()) {
            throw new IllegalStateException(String.join("\n", found));
        }
    }
}
