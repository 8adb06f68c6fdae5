package dev.wheelhouse.apiserver.kinds;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Problems;

import static dev.wheelhouse.apiserver.defaults.DefaultRules.isEmpty;
import static dev.wheelhouse.apiserver.defaults.DefaultRules.set;

/** CSI drivers (upstream: {@code pkg/registry/storage/csidriver}). */
final class CSIDriverStrategy extends Strategy {
    CSIDriverStrategy() {
        super("storage.k8s.io", "CSIDriver", Set.of(Trait.UPDATED_BY_VERSION, Trait.RETURNS_DELETED),
                TableColumn.objectName(),
                TableColumn.bool("AttachRequired", "Whether volumes must be attached before they are mounted.",
                        o -> o.flagOr(true, "spec", "attachRequired")),
                TableColumn.bool("PodInfoOnMount", "Whether the driver is told which pod mounts.",
                        o -> o.flag("spec", "podInfoOnMount")),
                TableColumn.bool("StorageCapacity", "Whether the scheduler looks at the driver's capacity.",
                        o -> o.flag("spec", "storageCapacity")),
                TableColumn.of("TokenRequests", "Audiences of the tokens that the driver gets.",
                        o -> o.has("spec", "tokenRequests")
                                ? o.join(t -> t.text("audience"), "spec", "tokenRequests")
                                : Item.UNSET),
                TableColumn.bool("RequiresRepublish", "Whether volumes are published again and again.",
                        o -> o.flag("spec", "requiresRepublish")),
                TableColumn.of("Modes", "Lifecycles of volumes that the driver supports.",
                        o -> o.size("spec", "volumeLifecycleModes") == 0
                                ? Item.NONE
                                : String.join(",", o.texts("spec", "volumeLifecycleModes"))),
                TableColumn.age());
    }

    @Override
    protected void addDefaults(Map<String, Consumer<ObjectNode>> rules) {
        rules.put("io.k8s.api.storage.v1.CSIDriverSpec", spec -> {
            set(spec, "attachRequired", true);
            set(spec, "podInfoOnMount", false);
            set(spec, "storageCapacity", false);
            set(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
            if (isEmpty(spec, "volumeLifecycleModes")) {
                spec.putArray("volumeLifecycleModes").add("Persistent");
            }
            set(spec, "requiresRepublish", false);
            set(spec, "seLinuxMount", false);
        });
    }

    @Override
    protected void validate(ObjectNode driver, Problems problems) {
        JsonNode spec = driver.path("spec");
        String policy = Json.text(spec, "fsGroupPolicy");
        if (spec.has("fsGroupPolicy")) {
            problems.oneOf("spec.fsGroupPolicy", policy, "ReadWriteOnceWithFSType", "File", "None");
        }
        for (JsonNode mode : spec.path("volumeLifecycleModes")) {
            problems.supported("spec.volumeLifecycleModes", mode.asString(""), "Persistent", "Ephemeral");
        }
        Set<String> audiences = new HashSet<>();
        Problems.each(spec.path("tokenRequests"), "spec.tokenRequests", (request, at) -> {
            problems.unique(audiences, Json.text(request, "audience"), at + ".audience",
                    "\"" + Json.text(request, "audience") + "\"");
            long seconds = Json.number(request, 3600, "expirationSeconds");
            if (seconds < 600) {
                problems.invalid(at + ".expirationSeconds", seconds,
                        "may not specify a duration less than 10 minutes");
            } else if (seconds > 1L << 32) {
                problems.invalid(at + ".expirationSeconds", seconds,
                        "may not specify a duration larger than 2^32 seconds");
            }
        });
        long period = Json.number(spec, 10, "nodeAllocatableUpdatePeriodSeconds");
        if (period < 10) {
            problems.invalid("spec.nodeAllocatableUpdatePeriodSeconds", period,
                    "must be greater than or equal to 10 seconds");
        }
    }

    @Override
    public void warn(ObjectNode object, @Nullable ObjectNode old, List<String> warnings) {
        JsonNode spec = object.path("spec");
        if (!spec.path("tokenRequests").isEmpty() && Json.at(spec, "serviceAccountTokenInSecrets") == null) {
            warnings.add("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true "
                    + "to prevent possible logging of tokens in volume attributes");
        }
    }
}
