package dev.wheelhouse.operator.webhook;

/** What becomes of a write whose webhook does not answer in time, or fails. */
public enum FailurePolicy {
    /** The write fails. Nothing enters the cluster unchecked, and nothing at all while the operator is down. */
    FAIL,
    /** The write goes on without the webhook. */
    IGNORE
}
