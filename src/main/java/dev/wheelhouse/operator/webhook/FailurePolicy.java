package dev.wheelhouse.operator.webhook;

/** Decides about a write whose webhook does not answer in time, or fails. */
public enum FailurePolicy {
    /** The write fails. While the operator is down, nobody can write the objects that the webhook concerns. */
    FAIL,
    /** The write goes on without the webhook. */
    IGNORE
}
