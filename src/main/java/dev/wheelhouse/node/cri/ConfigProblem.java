package dev.wheelhouse.node.cri;

/** A container cannot be made now as its spec says: kubelet's {@code CreateContainerConfigError}. */
final class ConfigProblem extends Exception {
    final String reason;

    ConfigProblem(String reason) {
        super(reason);
        this.reason = reason;
    }
}
