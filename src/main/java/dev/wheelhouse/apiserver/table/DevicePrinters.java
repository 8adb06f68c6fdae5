package dev.wheelhouse.apiserver.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Group {@code resource.k8s.io}: devices and the claims on them. */
final class DevicePrinters {
    private static final String GROUP = "resource.k8s.io/";

    private DevicePrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        all.put(GROUP + "DeviceClass", List.of(Column.objectName(), Column.age()));
        all.put(GROUP + "ResourceClaimTemplate", List.of(Column.objectName(), Column.age()));
        all.put(GROUP + "ResourceClaim", List.of(Column.objectName(),
                Column.of("State", "Whether the claim is allocated and reserved.", DevicePrinters::claimState),
                Column.age()));
        all.put(GROUP + "ResourceSlice", List.of(Column.objectName(),
                Column.of("Node", "Node that has the devices.", o -> o.text("spec", "nodeName")),
                Column.of("Driver", "Driver of the devices.", o -> o.text("spec", "driver")),
                Column.of("Pool", "Pool that the devices belong to.", o -> o.text("spec", "pool", "name")),
                Column.age()));
        all.put(GROUP + "DeviceTaintRule", List.of(Column.objectName(),
                Column.of("Key", "Key of the taint.", o -> o.text("spec", "taint", "key")),
                Column.of("Value", "Value of the taint.", o -> o.text("spec", "taint", "value")),
                Column.of("Effect", "What the taint does.", o -> o.text("spec", "taint", "effect")),
                Column.of("TimeAdded", "How long the taint has been there.",
                        o -> o.has("spec", "taint", "timeAdded") ? o.since("spec", "taint", "timeAdded") : ""),
                Column.age()));
        all.put(GROUP + "ResourcePoolStatusRequest", List.of(Column.objectName(),
                Column.of("Driver", "Driver of the pools.", o -> o.text("spec", "driver")),
                sum("Total", "totalDevices"), sum("Available", "availableDevices"), sum("Allocated",
                        "allocatedDevices"),
                sum("Unavailable", "unavailableDevices"),
                Column.of("Errors", "How many pools are not valid.", DevicePrinters::errors),
                Column.integer("Pools", "How many pools match.", o -> o.number("status", "poolCount")),
                Column.of("Status", "How far the request is.", DevicePrinters::poolState),
                Column.of("Completed", "How long ago the answer was complete.", DevicePrinters::completed)));
    }

    private static String claimState(Item claim) {
        List<String> states = new ArrayList<>();
        if (claim.deleting()) {
            states.add("deleted");
        }
        if (claim.has("status", "allocation")) {
            states.add("allocated");
            if (claim.size("status", "reservedFor") > 0) {
                states.add("reserved");
            }
        } else if (!claim.deleting()) {
            states.add("pending");
        }
        return String.join(",", states);
    }

    private static Column sum(String name, String field) {
        return Column.of(name, name + " devices of all pools.",
                o -> counted(o)
                        ? Long.toString(o.items("status", "pools").stream().mapToLong(p -> p.number(field)).sum())
                        : "-");
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
