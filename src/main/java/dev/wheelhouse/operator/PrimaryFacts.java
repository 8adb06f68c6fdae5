package dev.wheelhouse.operator;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;

/**
 * The facts about an operator's primary type that its class, its definition or the API server tells.
 *
 * @param definition the definition that the operator was given; null if there is none
 * @param known whether the facts about the status are known; otherwise the API server is asked for them
 * @param hasStatus whether the status is written by the status subresource
 * @param hasConditions whether the status has a list of conditions, as far as is known
 * @param withoutConditions the problem and its remedy if it has none
 */
record PrimaryFacts(@Nullable V1CustomResourceDefinition definition, boolean known, boolean hasStatus,
        boolean hasConditions, String withoutConditions) {
    static PrimaryFacts of(Class<? extends KubernetesObject> model) {
        return new PrimaryFacts(null, true, ResourceTypes.hasStatusSubresource(model),
                ResourceTypes.hasConditions(model), ResourceTypes.withoutConditions(model));
    }

    /** The facts about a type without a class, of which the API server tells more. */
    static PrimaryFacts unknown() {
        return new PrimaryFacts(null, false, true, true, "");
    }

    /** The facts about a type without a class, as the API server serves it. */
    static PrimaryFacts served(ResourceType type, boolean hasStatus) {
        return new PrimaryFacts(null, true, hasStatus, hasStatus, type + " has no status subresource");
    }

    /** The facts about a type without a class, as its definition has it. */
    static PrimaryFacts of(V1CustomResourceDefinition definition, ResourceType type) {
        JsonNode version = ModelJson.tree(definition).at("/spec/versions").valueStream()
                .filter(each -> each.path("name").asString("").equals(type.version())).findFirst().orElseThrow();
        boolean hasStatus = version.at("/subresources/status").isObject();
        JsonNode status = version.at("/schema/openAPIV3Schema/properties/status");
        return new PrimaryFacts(definition, true, hasStatus,
                hasStatus && (status.isMissingNode() || status.path("properties").has("conditions")
                        || status.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)),
                "the definition of " + type + " has no status with conditions");
    }
}
