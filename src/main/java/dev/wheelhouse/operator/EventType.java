package dev.wheelhouse.operator;

/** The type of a Kubernetes Event. */
public enum EventType {
    NORMAL, WARNING
}
