package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Meta;

/**
 * Devices that a driver offers (upstream: {@code pkg/registry/resource/resourceslice}). A new taint of a device has the
 * time of its request (upstream: {@code SetDefaults_DeviceTaint}).
 */
final class ResourceSliceStrategy extends Strategy {
    ResourceSliceStrategy() {
        super("resource.k8s.io", "ResourceSlice");
    }

    @Override
    protected void create(ObjectNode slice, User writer, ClusterState state) {
        addTimes(slice, state);
    }

    @Override
    protected void update(ObjectNode slice, ObjectNode old, ClusterState state) {
        addTimes(slice, state);
    }

    private static void addTimes(ObjectNode slice, ClusterState state) {
        for (JsonNode device : slice.path("spec").path("devices")) {
            for (JsonNode taint : device.path("taints")) {
                if (!taint.has("timeAdded") && taint instanceof ObjectNode fresh) {
                    fresh.put("timeAdded", Meta.time(state.clock().now()));
                }
            }
        }
    }
}
