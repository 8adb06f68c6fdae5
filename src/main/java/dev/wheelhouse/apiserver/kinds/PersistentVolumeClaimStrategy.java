package dev.wheelhouse.apiserver.kinds;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.Quantities;

/** Claims of volumes (upstream: {@code pkg/registry/core/persistentvolumeclaim}). */
final class PersistentVolumeClaimStrategy extends Strategy {
    private static final String OF_CLASS = ".storageclass.storage.k8s.io/";

    PersistentVolumeClaimStrategy() {
        super("", "PersistentVolumeClaim");
    }

    @Override
    public boolean returnsDeleted() {
        return true;
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        object.putObject("status").put("phase", "Pending");
    }

    @Override
    public boolean isLimitedBy(String limit, String resource) {
        return super.isLimitedBy(limit, resource) || limit.equals("requests.storage") || limit.contains(OF_CLASS);
    }

    @Override
    protected void addUsage(ObjectNode claim, Map<String, BigDecimal> usage) {
        BigDecimal storage = Quantities.parse(Json.text(claim, "spec", "resources", "requests", "storage"));
        String storageClass = Json.text(claim, "spec", "storageClassName");
        if (storage != null) {
            usage.put("requests.storage", storage);
        }
        if (!storageClass.isEmpty()) {
            usage.put(storageClass + OF_CLASS + "persistentvolumeclaims", BigDecimal.ONE);
            if (storage != null) {
                usage.put(storageClass + OF_CLASS + "requests.storage", storage);
            }
        }
    }

    /** Claims have one scope: the attributes classes that they have or are to get. */
    @Override
    public boolean isInScope(JsonNode scope, ObjectNode claim) {
        if (!Json.text(scope, "scopeName").equals("VolumeAttributesClass")) {
            return false;
        }
        Set<String> names = new TreeSet<>();
        names.add(Json.text(claim, "spec", "volumeAttributesClassName"));
        names.add(Json.text(claim, "status", "currentVolumeAttributesClassName"));
        names.add(Json.text(claim, "status", "modifyVolumeStatus", "targetVolumeAttributesClassName"));
        names.remove("");
        return names.isEmpty()
                ? Scopes.selects(scope, "")
                : names.stream().anyMatch(name -> Scopes.selects(scope, name));
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ClusterValidation.volumeClaim(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ClusterValidation.volumeClaimUpdate(object, old, problems);
    }
}
