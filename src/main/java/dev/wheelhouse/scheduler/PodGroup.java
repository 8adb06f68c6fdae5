package dev.wheelhouse.scheduler;

import java.util.Map;

/** All that selectors can see of a pod; pods that look alike are counted together. */
record PodGroup(String namespace, Map<String, String> labels, boolean terminating) {}
