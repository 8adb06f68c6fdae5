package dev.wheelhouse.operator;

/** What an operator does about its CustomResourceDefinition before it starts. */
public enum CrdPolicy {
    /** Creates the definition, or updates an older one, and waits until it is served. */
    INSTALL,
    /**
     * Compares the installed definition with the operator's class. A difference that loses fields is an error that names
     * the fields; the operator does not start.
     */
    CHECK,
    /** Waits until the type is served, whoever installs it. */
    WAIT
}
