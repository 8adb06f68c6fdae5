package dev.wheelhouse.scheduler;

import java.util.Map;

/** The labels of a namespace by its name; none for one that is not known. */
interface NamespaceLabels {
    Map<String, String> of(String namespace);
}
