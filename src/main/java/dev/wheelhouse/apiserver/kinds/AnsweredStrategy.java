package dev.wheelhouse.apiserver.kinds;

/** A kind whose objects are answered and never stored, such as reviews: they need no name. */
final class AnsweredStrategy extends Strategy {
    AnsweredStrategy(String group, String kind) {
        super(group, kind);
    }

    @Override
    protected boolean isStored() {
        return false;
    }
}
