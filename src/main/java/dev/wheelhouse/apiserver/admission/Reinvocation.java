package dev.wheelhouse.apiserver.admission;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.JsonValues;

/**
 * Which mutating policies, or which mutating webhooks, are called again about one write. In the second round those are
 * called that have the reinvocation policy IfNeeded and after whose call the object changed (upstream:
 * {@code plugin/policy/mutating/reinvocationcontext.go}, {@code plugin/webhook/mutating/reinvocationcontext.go}). For
 * one thread.
 */
final class Reinvocation {
    /** Policies or webhooks that may be called again, once something changes the object. */
    private final Set<Object> called = new HashSet<>();
    private final Set<Object> again = new HashSet<>();
    private boolean second;
    /** The object at the end of the first round. */
    private @Nullable ObjectNode last;

    /** Begins a round. A change since the last one, by plugins or the others, counts as a change. */
    void begin(@Nullable ObjectNode object) {
        if (second && !JsonValues.same(last, object)) {
            changed();
        }
    }

    /** Whether a policy or webhook is not called in this round. */
    boolean skips(Object key) {
        return second && !again.contains(key);
    }

    /** The object changed, so all that were called may be called again. */
    void changed() {
        again.addAll(called);
        called.clear();
    }

    /** A policy or webhook with the reinvocation policy IfNeeded was called. */
    void called(Object key) {
        called.add(key);
    }

    /** Ends a round. Nobody may change the object afterwards. */
    void end(@Nullable ObjectNode object) {
        last = object;
    }

    /** The rounds that follow are the second one. */
    Reinvocation again() {
        second = true;
        return this;
    }
}
