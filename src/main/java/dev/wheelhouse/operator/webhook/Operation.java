package dev.wheelhouse.operator.webhook;

/** A write that a webhook is asked about. */
public enum Operation {
    CREATE, UPDATE, DELETE
}
