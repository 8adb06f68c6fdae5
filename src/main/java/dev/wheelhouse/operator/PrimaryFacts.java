package dev.wheelhouse.operator;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1CustomResourceSubresources;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;

import dev.wheelhouse.api.ResourceType;

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
        return new PrimaryFacts(null, true,
                ResourceTypes.hasStatusSubresource(model), ResourceTypes.hasConditions(model),
                ResourceTypes.withoutConditions(model));
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
        V1CustomResourceDefinitionVersion version = definition.getSpec().getVersions().stream()
                .filter(each -> each.getName().equals(type.version())).findFirst().orElseThrow();
        V1CustomResourceSubresources subresources = version.getSubresources();
        boolean hasStatus = subresources != null && subresources.getStatus() != null;
        V1JSONSchemaProps root = version.getSchema() == null ? null : version.getSchema().getOpenAPIV3Schema();
        V1JSONSchemaProps status = property(root, "status");
        return new PrimaryFacts(definition, true, hasStatus,
                hasStatus && (status == null || property(status, "conditions") != null
                        || Boolean.TRUE.equals(status.getxKubernetesPreserveUnknownFields())),
                "the definition of " + type + " has no status with conditions");
    }

    private static @Nullable V1JSONSchemaProps property(@Nullable V1JSONSchemaProps schema, String name) {
        Map<String, V1JSONSchemaProps> properties = schema == null ? null : schema.getProperties();
        return properties == null ? null : properties.get(name);
    }
}
