package dev.wheelhouse.apiserver.kinds;

/** A built-in kind whose updates need a resourceVersion, and without other rules of its own. */
final class ConditionalStrategy extends Strategy {
    ConditionalStrategy(String group, String kind) {
        super(group, kind);
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }
}
