package dev.wheelhouse.apiserver.admission;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * Gives a new Ingress or PersistentVolumeClaim that names no class the default class (upstream:
 * {@code plugin/pkg/admission/network/defaultingressclass},
 * {@code plugin/pkg/admission/storage/storageclass/setdefault}). If several classes are marked as the default, it is
 * the newest, then the first by name.
 */
final class DefaultClasses implements AdmissionPlugin {
    private static final List<String> OF_INGRESSES = List.of("ingressclass.kubernetes.io/is-default-class");
    private static final List<String> OF_STORAGE = List.of("storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class");
    private static final Comparator<ObjectNode> NEWEST = Comparator
            .comparing((ObjectNode object) -> Json.text(object, "metadata", "creationTimestamp")).reversed()
            .thenComparing(Meta::name);

    private final ObjectStore store;

    DefaultClasses(ObjectStore store) {
        this.store = store;
    }

    @Override
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (old != null) {
            return;
        }
        switch (type.groupResource()) {
            case "ingresses.networking.k8s.io" -> fill(object, "ingressClassName", "kubernetes.io/ingress.class",
                    "ingressclasses.networking.k8s.io", OF_INGRESSES);
            case "persistentvolumeclaims" -> fill(object, "storageClassName", "volume.beta.kubernetes.io/storage-class",
                    "storageclasses.storage.k8s.io", OF_STORAGE);
            default -> {
            }
        }
    }

    /** @param annotation names the class on objects that are older than the field */
    private void fill(ObjectNode object, String field, String annotation, String classes, List<String> marks) {
        ObjectNode spec = Json.child(object, "spec");
        JsonNode annotations = object.path("metadata").path("annotations");
        if (spec.has(field) || annotations.has(annotation)) {
            return;
        }
        Optional<ObjectNode> found = store.snapshot(classes).select(Selection.all()).stream()
                .map(StoredObject::tree)
                .filter(tree -> marks.stream()
                        .anyMatch(mark -> Json.text(tree, "metadata", "annotations", mark).equals("true")))
                .min(NEWEST);
        found.ifPresent(one -> spec.put(field, Meta.name(one)));
    }
}
