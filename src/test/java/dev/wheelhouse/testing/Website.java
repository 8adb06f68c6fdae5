package dev.wheelhouse.testing;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.operator.CustomResource;
import dev.wheelhouse.operator.ResourceDefinition;

/** A site that is served from a text. */
@ResourceDefinition(group = "example.com", version = "v1")
public class Website extends CustomResource<Website.Spec, Website.Status> {
    /** @param page the text; null for nginx's own */
    public record Spec(int replicas, @Nullable String page) {}

    public record Status(int readyReplicas, @Nullable List<V1Condition> conditions) {}

    static Website of(String name, int replicas, @Nullable String page) {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace("default").name(name));
        website.setSpec(new Spec(replicas, page));
        return website;
    }
}
