package dev.wheelhouse.scheduler;

import java.util.Map;

/** The fields of a pod that selectors use. Pods with equal fields are one group, and are counted together. */
record PodGroup(String namespace, Map<String, String> labels, boolean terminating) {}
