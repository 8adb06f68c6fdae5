package dev.wheelhouse.podconfig;

/** Thrown if a manifest cannot be used. */
final class ManifestException extends Exception {
    private final transient Refusal refusal;

    ManifestException(Refusal refusal) {
        super(refusal.toString());
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }
}
