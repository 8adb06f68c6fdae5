package dev.wheelhouse.scheduler;

import java.util.Map;

/** The labels of a namespace, by name; empty if the namespace is unknown. */
interface NamespaceLabels {
    Map<String, String> of(String namespace);
}
