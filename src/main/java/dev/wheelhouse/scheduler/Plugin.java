package dev.wheelhouse.scheduler;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The plugins of upstream's default profile that this scheduler has, in upstream's order, each with the weight of its
 * score and the extension points that it implements (upstream: {@code apis/config/v1/default_plugins.go}).
 */
enum Plugin {
    SCHEDULING_GATES("SchedulingGates", 0, "preEnqueue"),
    PRIORITY_SORT("PrioritySort", 0, "queueSort"),
    NODE_UNSCHEDULABLE("NodeUnschedulable", 0, "filter"),
    NODE_NAME("NodeName", 0, "filter"),
    TAINT_TOLERATION("TaintToleration", 3, "filter", "preScore", "score"),
    NODE_AFFINITY("NodeAffinity", 2, "preFilter", "filter", "preScore", "score"),
    NODE_PORTS("NodePorts", 0, "preFilter", "filter"),
    NODE_RESOURCES_FIT("NodeResourcesFit", 1, "preFilter", "filter", "preScore", "score"),
    VOLUME_RESTRICTIONS("VolumeRestrictions", 0, "preFilter", "filter"),
    NODE_VOLUME_LIMITS("NodeVolumeLimits", 0, "preFilter", "filter"),
    VOLUME_BINDING("VolumeBinding", 0, "preFilter", "filter", "reserve", "preBind", "preScore", "score"),
    VOLUME_ZONE("VolumeZone", 0, "preFilter", "filter"),
    POD_TOPOLOGY_SPREAD("PodTopologySpread", 2, "preFilter", "filter", "preScore", "score"),
    INTER_POD_AFFINITY("InterPodAffinity", 2, "preFilter", "filter", "preScore", "score"),
    DEFAULT_PREEMPTION("DefaultPreemption", 0, "postFilter", "preEnqueue"),
    NODE_RESOURCES_BALANCED_ALLOCATION("NodeResourcesBalancedAllocation", 1, "preScore", "score"),
    IMAGE_LOCALITY("ImageLocality", 1, "score"),
    DEFAULT_BINDER("DefaultBinder", 0, "bind");

    /** All extension points at which a plugin can be named alone, in upstream's order. */
    static final List<String> POINTS = List.of("preFilter", "filter", "postFilter", "reserve", "preScore", "score",
            "preBind", "bind", "postBind", "permit", "preEnqueue", "queueSort", "placementGenerate", "placementScore");

    final String title;
    final int weight;
    final List<String> points;

    Plugin(String title, int weight, String... points) {
        this.title = title;
        this.weight = weight;
        this.points = List.of(points);
    }

    static @Nullable Plugin named(String title) {
        return Arrays.stream(values()).filter(each -> each.title.equals(title)).findFirst().orElse(null);
    }
}
