package dev.wheelhouse.apiserver.admission;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreView;
import dev.wheelhouse.apiserver.store.StoredObject;

/**
 * Gives a new Ingress or PersistentVolumeClaim that names no class the default class (upstream:
 * {@code plugin/pkg/admission/network/defaultingressclass},
 * {@code plugin/pkg/admission/storage/storageclass/setdefault}). If several classes are marked as the default, it is
 * the newest, then the first by name.
 */
final class DefaultClasses implements AdmissionPlugin {
    private static final Comparator<ObjectNode> NEWEST = Comparator
            .comparing((ObjectNode object) -> Json.text(object, "metadata", "creationTimestamp")).reversed()
            .thenComparing(Meta::name);

    private final StoreView<Optional<String>> ofIngresses;
    private final StoreView<Optional<String>> ofClaims;

    DefaultClasses(ObjectStore store) {
        this.ofIngresses = defaultOf(store, "ingressclasses.networking.k8s.io",
                "ingressclass.kubernetes.io/is-default-class");
        this.ofClaims = defaultOf(store, "storageclasses.storage.k8s.io", "storageclass.kubernetes.io/is-default-class",
                "storageclass.beta.kubernetes.io/is-default-class");
    }

    /** @param marks annotations of which one is {@code "true"} on a default class */
    private static StoreView<Optional<String>> defaultOf(ObjectStore store, String resource, String... marks) {
        return StoreView.of(store, resource, StoredObject::tree, classes -> classes.stream()
                .filter(tree -> Stream.of(marks)
                        .anyMatch(mark -> Json.text(tree, "metadata", "annotations", mark).equals("true")))
                .min(NEWEST).map(Meta::name));
    }

    @Override
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (old != null) {
            return;
        }
        switch (type.groupResource()) {
            case "ingresses.networking.k8s.io" ->
                fill(object, "ingressClassName", "kubernetes.io/ingress.class", ofIngresses);
            case "persistentvolumeclaims" ->
                fill(object, "storageClassName", "volume.beta.kubernetes.io/storage-class", ofClaims);
            default -> {
            }
        }
    }

    /** @param annotation names the class on objects that are older than the field */
    private static void fill(ObjectNode object, String field, String annotation,
            StoreView<Optional<String>> defaultClass) {
        ObjectNode spec = Json.child(object, "spec");
        JsonNode annotations = object.path("metadata").path("annotations");
        if (!spec.has(field) && !annotations.has(annotation)) {
            defaultClass.get().ifPresent(name -> spec.put(field, name));
        }
    }
}
