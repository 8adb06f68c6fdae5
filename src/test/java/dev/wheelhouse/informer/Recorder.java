package dev.wheelhouse.informer;

import java.util.ArrayList;
import java.util.List;

import io.kubernetes.client.openapi.models.V1ConfigMap;

/** A handler that records its calls as {@code "+a@101 initial"}, {@code "a@101>102"}, {@code "-a@103"}. */
final class Recorder implements ResourceEventHandler<V1ConfigMap> {
    final List<String> calls = new ArrayList<>();

    @Override
    public void onAdd(V1ConfigMap object, boolean initial) {
        calls.add("+" + name(object) + (initial ? " initial" : ""));
    }

    @Override
    public void onUpdate(V1ConfigMap before, V1ConfigMap after) {
        calls.add(name(before) + ">" + after.getMetadata().getResourceVersion());
    }

    @Override
    public void onDelete(V1ConfigMap object, boolean finalStateUnknown) {
        calls.add("-" + name(object) + (finalStateUnknown ? " unknown" : ""));
    }

    private static String name(V1ConfigMap object) {
        return object.getMetadata().getName() + "@" + object.getMetadata().getResourceVersion();
    }
}
