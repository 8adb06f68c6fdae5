package dev.wheelhouse.apiserver.kinds;

import java.util.Map;

import dev.wheelhouse.apiserver.kinds.KindTable.Cell;
import dev.wheelhouse.apiserver.table.Item;

/**
 * Requests for the numbers of devices in a driver's pools (upstream:
 * {@code pkg/registry/resource/resourcepoolstatusrequest}).
 */
final class ResourcePoolStatusRequestStrategy extends Strategy {
    ResourcePoolStatusRequestStrategy() {
        super("resource.k8s.io", "ResourcePoolStatusRequest",
                Map.of("totalDevices", sum("totalDevices"), "availableDevices",
                        sum("availableDevices"), "allocatedDevices", sum("allocatedDevices"), "unavailableDevices",
                        sum("unavailableDevices"), "errors", ResourcePoolStatusRequestStrategy::errors, "state",
                        ResourcePoolStatusRequestStrategy::poolState, "completed",
                        ResourcePoolStatusRequestStrategy::completed));
    }

    private static Cell sum(String field) {
        return o -> counted(o)
                ? Long.toString(o.items("status", "pools").stream().mapToLong(p -> p.number(field)).sum())
                : "-";
    }

    private static String errors(Item request) {
        return counted(request)
                ? Long.toString(request.items("status", "pools").stream().filter(p -> p.has("validationError"))
                        .count())
                : "-";
    }

    private static boolean counted(Item request) {
        return request.has("status") && !state(request).equals("Failed");
    }

    private static String state(Item request) {
        for (Item condition : request.items("status", "conditions")) {
            String type = condition.text("type");
            if (condition.text("status").equals("True") && (type.equals("Complete") || type.equals("Failed"))) {
                return type;
            }
        }
        return "Pending";
    }

    private static String poolState(Item request) {
        String state = state(request);
        long shown = request.size("status", "pools");
        long all = request.number("status", "poolCount");
        return state.equals("Complete") && all > shown ? "Complete (" + shown + "/" + all + " pools)" : state;
    }

    private static String completed(Item request) {
        return state(request).equals("Complete")
                ? request.ofType("Complete", "status", "conditions").since("lastTransitionTime")
                : Item.NONE;
    }
}
