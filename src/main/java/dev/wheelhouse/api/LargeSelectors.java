package dev.wheelhouse.api;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;

/**
 * Remembers the compiled forms of large selectors. Handlers compile the selectors of a namespace for each event of a
 * pod in it, and one object has room for 45,000 requirements, which take 50 ms. Models are compared by identity. Thread
 * safe.
 */
final class LargeSelectors {
    /** Requirements and values together. Smaller selectors are compiled as fast as they are found. */
    private static final int LARGE = 64;
    /** A power of two. */
    private static final int SLOTS = 1024;
    private static final AtomicReferenceArray<@Nullable Known> KNOWN = new AtomicReferenceArray<>(SLOTS);

    private record Known(WeakReference<V1LabelSelector> model, SoftReference<LabelSelector> compiled) {}

    private LargeSelectors() {}

    static boolean isLarge(V1LabelSelector model) {
        int size = model.getMatchLabels() == null ? 0 : model.getMatchLabels().size();
        List<V1LabelSelectorRequirement> expressions = model.getMatchExpressions();
        for (int i = 0; expressions != null && i < expressions.size() && size <= LARGE; i++) {
            List<String> values = expressions.get(i).getValues();
            size += 1 + (values == null ? 0 : values.size());
        }
        return size > LARGE;
    }

    static LabelSelector compiled(V1LabelSelector model, Function<V1LabelSelector, LabelSelector> compiler) {
        int slot = System.identityHashCode(model) & SLOTS - 1;
        Known known = KNOWN.get(slot);
        LabelSelector compiled = known == null || known.model.get() != model ? null : known.compiled.get();
        if (compiled == null) {
            compiled = compiler.apply(model);
            KNOWN.set(slot, new Known(new WeakReference<>(model), new SoftReference<>(compiled)));
        }
        return compiled;
    }
}
