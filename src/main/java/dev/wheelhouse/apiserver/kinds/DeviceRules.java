package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.Quantities;

/**
 * The rules of devices that are no rows: of claims and their templates, of what was allocated for them, and of slices
 * (upstream: {@code pkg/apis/resource/validation}). Version v1beta1 has another form and is not checked.
 */
final class DeviceRules {
    /** The use under which the requests of a claim collect their names. */
    private static final String REQUESTS = "requests";
    private static final int MOST_JSON = 10 * 1024;
    private static final int MOST_OPTIONS = 10;

    private DeviceRules() {}

    static void collectRequests(Subject devices) {
        Set<String> names = devices.names(REQUESTS);
        for (JsonNode request : devices.value().path("requests")) {
            String name = Json.text(request, "name");
            names.add(name);
            request.path("firstAvailable").forEach(each -> names.add(name + "/" + Json.text(each, "name")));
        }
    }

    static void requestReference(Subject reference) {
        String name = reference.text();
        String[] steps = name.split("/", -1);
        for (String step : steps.length > 2 ? new String[0] : steps) {
            reference.problems().invalid(reference.path(), step, Formats.dnsLabel(step));
        }
        if (!reference.names(REQUESTS).contains(name)) {
            reference.problems().invalid(reference.path(), name, "must be the name of a request in the claim or the "
                    + "name of a request and a subrequest separated by '/'");
        }
    }

    static void fullyQualifiedName(Subject name) {
        deviceFieldName(name);
        if (!name.text().contains("/")) {
            name.problems().invalid(name.path(), name.text(),
                    "a fully qualified name must be a domain and a name separated by a slash");
        }
    }

    /** The name of an attribute or capacity, perhaps with the domain of a driver. */
    static void deviceFieldName(Subject subject) {
        String at = subject.path();
        Problems problems = subject.problems();
        String[] parts = subject.text().split("/", -1);
        if (parts.length > 2) {
            return;
        }
        if (parts.length == 2 && parts[0].isEmpty()) {
            problems.invalid(at, "", "the domain must not be empty");
        } else if (parts.length == 2) {
            if (parts[0].length() > 63) {
                problems.tooLong(at, 63);
            }
            problems.invalid(at, parts[0], Formats.dnsSubdomain(parts[0].toLowerCase(Locale.ROOT)));
        }
        String name = parts[parts.length - 1];
        if (parts.length == 2 && name.isEmpty()) {
            problems.invalid(at, "", "the name must not be empty");
            return;
        }
        if (name.length() > 32) {
            problems.tooLong(at, 32);
        }
        problems.invalid(at, name, Formats.named("identifier").apply(name));
    }

    static void rawObject(Subject raw) {
        if (Json.bytes(raw.value()).length > MOST_JSON) {
            raw.problems().tooLong(raw.path(), MOST_JSON);
        } else if (raw.value().isMissingNode()) {
            raw.problems().required(raw.path());
        } else if (!raw.value().isObject()) {
            raw.problems().invalid(raw.path(), "<value omitted>", "must be a valid JSON object");
        }
    }

    static void poolName(Subject pool) {
        if (pool.text().isEmpty()) {
            pool.problems().required(pool.path());
            return;
        }
        if (pool.text().length() > 253) {
            pool.problems().tooLong(pool.path(), 253);
        }
        for (String part : pool.text().split("/", -1)) {
            pool.problems().invalid(pool.path(), part, Formats.dnsSubdomain(part));
        }
    }

    private static Set<JsonNode> elements(JsonNode list) {
        return list.valueStream().collect(Collectors.toSet());
    }

    private static ObjectNode id(JsonNode device) {
        return Json.object().put("Driver", Json.text(device, "driver")).put("Pool", Json.text(device, "pool"))
                .put("Device", Json.text(device, "device")).put("ShareID", Json.text(device, "shareID"));
    }

    static void allocatedDevices(Subject status) {
        Set<JsonNode> allocated = new HashSet<>();
        status.value().at("/allocation/devices/results").forEach(result -> allocated.add(id(result)));
        Set<JsonNode> seen = new HashSet<>();
        Problems.each(status.value().path("devices"), status.path() + ".devices", (device, at) -> {
            ObjectNode id = id(device);
            if (!allocated.contains(id)) {
                status.problems().invalid(at, id, "must be an allocated device in the claim");
            }
            status.problems().unique(seen, id, at, id.toString());
        });
    }

    static void reservations(Subject subject) {
        JsonNode status = subject.value().path("status");
        Set<JsonNode> users = elements(status.path("reservedFor"));
        if (!users.isEmpty() && !status.has("allocation")) {
            subject.problems().forbidden("status.reservedFor", "may not be specified when `allocated` is not set");
        } else if (subject.value().path("metadata").has("deletionTimestamp")
                && !elements(subject.old().at("/status/reservedFor")).containsAll(users)) {
            subject.problems().forbidden("status.reservedFor",
                    "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
        }
    }

    /** Requires one of the fields that say for which nodes devices are. */
    private static void placement(JsonNode object, String at, String rule, String several, Problems problems,
            String... fields) {
        List<String> found = Stream.of(fields).filter(field -> {
            JsonNode value = object.path(field);
            return value.isObject() || value.asBoolean(false) || !value.asString("").isEmpty() && value.isString();
        }).map(field -> "`" + field + "`").toList();
        if (found.isEmpty()) {
            problems.required(at, rule);
        } else if (found.size() > 1) {
            problems.invalid(at, "{" + String.join(", ", found) + "}", rule + several);
        }
    }

    static void placement(Subject spec) {
        placement(spec.value(), spec.path(),
                "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
                ", but multiple fields are set", spec.problems(), "nodeName", "nodeSelector", "allNodes",
                "perDeviceNodeSelection");
    }

    static void devices(Subject spec) {
        JsonNode devices = spec.value().path("devices");
        Problems problems = spec.problems();
        boolean advanced = devices.valueStream()
                .anyMatch(each -> !each.path("taints").isEmpty() || !each.path("consumesCounters").isEmpty());
        int most = advanced ? 64 : 128;
        if (devices.size() > most) {
            problems.tooMany(spec.path() + ".devices", devices.size(), most);
            return;
        }
        boolean perDevice = spec.value().path("perDeviceNodeSelection").asBoolean(false);
        Set<String> names = new HashSet<>();
        Problems.each(devices, spec.path() + ".devices", (device, at) -> {
            Strategy.check("Device", device, null, at, problems);
            placement(device, at, perDevice, problems);
            String name = Json.text(device, "name");
            problems.unique(names, name, at, "\"" + name + "\"");
        });
    }

    private static void placement(JsonNode device, String at, boolean perDevice, Problems problems) {
        if (!perDevice) {
            if (device.has("nodeName") || device.has("nodeSelector") || device.has("allNodes")) {
                problems.invalid(at, (JsonNode) null, "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                        + "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
            }
            return;
        }
        Strategy.check("DevicePlacement", device, null, at, problems);
        placement(device, at, "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
                + "`perDeviceNodeSelection` is set to true in the ResourceSlice spec", "", problems, "nodeName",
                "nodeSelector", "allNodes");
    }

    static void deviceSize(Subject device) {
        int fields = device.value().path("attributes").size() + device.value().path("capacity").size();
        if (fields > 32) {
            device.problems().invalid(device.path(), fields,
                    "the total number of attributes and capacities must not exceed 32");
        }
    }

    static void oneAttribute(Subject attribute) {
        long values = List.of("bool", "int", "string", "version").stream().filter(attribute.value()::has).count();
        if (values == 0) {
            attribute.problems().invalid(attribute.path(), "", "exactly one value must be specified");
        } else if (values > 1) {
            attribute.problems().invalid(attribute.path(), attribute.value(), "exactly one value must be specified");
        }
    }

    private static @Nullable BigDecimal amount(JsonNode object, String field) {
        return Quantities.parse(Json.text(object, field));
    }

    static void requestPolicy(Subject capacity) {
        JsonNode policy = capacity.value().path("requestPolicy");
        String at = capacity.path() + ".requestPolicy";
        Problems problems = capacity.problems();
        boolean hasValues = !policy.path("validValues").isEmpty();
        if (hasValues && policy.has("validRange")) {
            problems.forbidden(at, "exactly one policy can be specified, cannot specify \"validValues\" and"
                    + " \"validRange\" at the same time");
        } else if (hasValues || policy.has("validRange")) {
            String field = hasValues ? "validValues" : "validRange";
            BigDecimal usual = amount(policy, "default");
            if (usual == null) {
                problems.required(at + ".default", "required when " + field + " is defined");
            } else if (hasValues) {
                validValues(capacity.value(), policy, usual, at + ".validValues", problems);
            } else {
                validRange(capacity.value(), policy, usual, at + ".validRange", problems);
            }
        }
    }

    private static void validValues(JsonNode capacity, JsonNode policy, BigDecimal usual, String path,
            Problems problems) {
        JsonNode values = policy.path("validValues");
        BigDecimal most = amount(capacity, "value");
        Set<BigDecimal> seen = new HashSet<>();
        if (values.size() > MOST_OPTIONS) {
            problems.tooMany(path, values.size(), MOST_OPTIONS);
        }
        BigDecimal before = null;
        boolean found = false;
        for (int i = 0; i < Math.min(values.size(), MOST_OPTIONS + 1); i++) {
            String text = values.get(i).asString("");
            String at = Problems.at(path, i);
            BigDecimal value = Quantities.parse(text);
            if (value == null || most == null) {
                continue;
            }
            if (before != null && before.compareTo(value) > 0) {
                problems.invalid(at, text, "values must be sorted in ascending order");
            }
            if (value.compareTo(most) > 0) {
                problems.invalid(at, text, "option is larger than capacity value: " + Json.text(capacity, "value"));
            }
            problems.unique(seen, value.stripTrailingZeros(), at, "\"" + value.toPlainString() + "\"");
            found |= value.compareTo(usual) == 0;
            before = value;
        }
        if (!found) {
            problems.invalid(path, Json.text(policy, "default"),
                    "default value is not valid according to the requestPolicy");
        }
    }

    private static void validRange(JsonNode capacity, JsonNode policy, BigDecimal usual, String at,
            Problems problems) {
        JsonNode range = policy.path("validRange");
        BigDecimal least = amount(range, "min");
        BigDecimal most = amount(range, "max");
        BigDecimal step = amount(range, "step");
        BigDecimal all = amount(capacity, "value");
        if (least == null || all == null) {
            problems.required(at + ".min", "required when validRange is defined");
            return;
        }
        String min = Json.text(range, "min");
        String max = Json.text(range, "max");
        String given = Json.text(policy, "default");
        String value = "larger than capacity value: " + Json.text(capacity, "value");
        BiConsumer<String, String[]> wrong = (field, texts) -> problems.invalid(at + "." + field, texts[0], texts[1]);
        if (least.compareTo(all) > 0) {
            wrong.accept("min", new String[]{min, "min is " + value});
        }
        if (usual.compareTo(least) < 0) {
            wrong.accept("min", new String[]{given, "default is less than min: " + min});
        }
        if (most != null && least.compareTo(most) > 0) {
            wrong.accept("max", new String[]{min, "min is larger than max: " + max});
        }
        if (most != null && most.compareTo(all) > 0) {
            wrong.accept("max", new String[]{max, "max is " + value});
        }
        if (most != null && usual.compareTo(most) > 0) {
            wrong.accept("max", new String[]{given, "default is more than max: " + max});
        }
        if (step != null && step.signum() > 0) {
            String text = Json.text(range, "step");
            if (least.add(step).compareTo(all) > 0) {
                wrong.accept("step",
                        new String[]{text, "one step " + least.add(step).toPlainString() + " is " + value});
            }
            String rule = "value is not a multiple of a given step (" + text + ") from (" + min + ")";
            if (usual.subtract(least).remainder(step).signum() != 0) {
                wrong.accept("step", new String[]{given, rule});
            }
            if (most != null && most.subtract(least).remainder(step).signum() != 0) {
                wrong.accept("step", new String[]{max, rule});
            }
        }
    }
}
