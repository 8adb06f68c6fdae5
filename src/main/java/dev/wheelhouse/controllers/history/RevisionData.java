package dev.wheelhouse.controllers.history;

import java.util.Objects;

import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.models.V1ControllerRevision;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;

/**
 * The data of a revision: a strategic merge patch that replaces the pod template (upstream: {@code getPatch} in
 * {@code pkg/controller/statefulset/stateful_set_utils.go} and {@code pkg/controller/daemon/update.go}). It has the
 * bytes that upstream's controllers write for the same template, since these compare bytes. Only integers beyond 2^53
 * differ, which upstream rounds in the data of StatefulSets.
 */
public final class RevisionData {
    private static final TypeSchema TEMPLATE = Objects
            .requireNonNull(Schemas.ofName("io.k8s.api.core.v1.PodTemplateSpec"));

    private RevisionData() {}

    /** The data of a template. */
    public static String of(V1PodTemplateSpec template) {
        return of(ModelJson.tree(template));
    }

    private static String of(JsonNode template) {
        String replacement = GoJson.write(GoJson.throughStruct(template, TEMPLATE)).substring(1);
        return "{\"spec\":{\"template\":{\"$patch\":\"replace\"," + replacement + "}}";
    }

    /** The data that a revision holds. */
    public static String of(V1ControllerRevision revision) {
        return GoJson.write(tree(revision));
    }

    /**
     * The data that upstream writes today for the template in a revision. It differs from the revision's data if an
     * older release made the revision and wrote other zero values.
     */
    public static String today(V1ControllerRevision revision) {
        return of(tree(revision).path("spec").path("template"));
    }

    /** The template that a revision restores (upstream: {@code ApplyRevision}). */
    public static V1PodTemplateSpec template(V1ControllerRevision revision) {
        JsonNode template = tree(revision).path("spec").path("template");
        return template.isObject() ? ModelJson.read(template, V1PodTemplateSpec.class) : new V1PodTemplateSpec();
    }

    private static JsonNode tree(V1ControllerRevision revision) {
        return revision.getData() instanceof V1Patch patch
                ? ModelJson.read(patch.getValue(), JsonNode.class)
                : ModelJson.tree(revision.getData());
    }
}
