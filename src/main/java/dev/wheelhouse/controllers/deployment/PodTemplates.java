package dev.wheelhouse.controllers.deployment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.SemanticForm;
import dev.wheelhouse.facts.TypeSchema;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Compares pod templates as the API machinery does (upstream: {@code EqualIgnoreHash} in
 * {@code pkg/controller/deployment/util}); {@link SemanticForm} says what is equal.
 */
final class PodTemplates {
    /** The label that distinguishes a Deployment's ReplicaSets and their pods. */
    static final String HASH_LABEL = "pod-template-hash";

    private static final TypeSchema TYPE = Objects
            .requireNonNull(Schemas.ofName("io.k8s.api.core.v1.PodTemplateSpec"));

    private PodTemplates() {}

    /** Whether two templates are equal except for the hash label. */
    static boolean sameIgnoringHash(V1PodTemplateSpec a, V1PodTemplateSpec b) {
        return withoutHash(a).equals(withoutHash(b))
                || (!differentImages(a.getSpec(), b.getSpec()) && canonical(a).equals(canonical(b)));
    }

    /** A quick check for the most frequent change. Templates with different images are never equal. */
    private static boolean differentImages(@Nullable V1PodSpec a, @Nullable V1PodSpec b) {
        if (a == null || b == null || a.getContainers() == null || b.getContainers() == null) {
            return false;
        }
        return !images(a).equals(images(b));
    }

    private static List<String> images(V1PodSpec spec) {
        return spec.getContainers().stream().map(c -> orEmpty(c.getImage())).toList();
    }

    private static Map<String, String> withoutHash(Map<String, String> labels) {
        if (!labels.containsKey(HASH_LABEL)) {
            return labels;
        }
        Map<String, String> without = new HashMap<>(labels);
        without.remove(HASH_LABEL);
        return without;
    }

    /** A template without its hash label. Everything else is shared with the original. */
    static V1PodTemplateSpec withoutHash(V1PodTemplateSpec template) {
        V1ObjectMeta meta = template.getMetadata();
        if (meta == null || meta.getLabels() == null || !meta.getLabels().containsKey(HASH_LABEL)) {
            return template;
        }
        V1ObjectMeta without = ModelJson.shallowCopy(meta);
        without.setLabels(withoutHash(meta.getLabels()));
        V1PodTemplateSpec copy = ModelJson.shallowCopy(template);
        copy.setMetadata(without);
        return copy;
    }

    /** A form that is equal for equal templates only. Its JSON has sorted keys. */
    static Map<String, Object> canonical(V1PodTemplateSpec template) {
        return SemanticForm.of(ModelJson.tree(withoutHash(template)), TYPE);
    }
}
