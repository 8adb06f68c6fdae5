package dev.wheelhouse.operator;

/** The treatment of an operator's CustomResourceDefinition before the operator starts. */
public enum CrdPolicy {
    /**
     * Creates the definition, or updates an older one, and waits until it is served. An update takes no version and no
     * field away. A definition that has fields that the class lacks is left as it is, with a warning; if it also lacks
     * fields of the class, the operator does not start, and the error names the fields. Nor does it start if the class
     * requires a field without a default that stored objects may lack, or if the definition has another scope or kind.
     * A definition that is deleted afterwards stays deleted until the process starts again.
     */
    INSTALL,
    /**
     * Compares the installed definition with the operator's class before each start of the operator. If the definition
     * lacks a field of the class, or has another scope or kind, the operator does not start, and the error names it:
     * the API server would drop the field from the operator's writes. Waits for a definition that is not there yet.
     */
    CHECK,
    /** Waits until the API server serves the type. Another program installs the definition. */
    WAIT
}
