package org.example;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Condition;

import dev.wheelhouse.operator.CustomResource;
import dev.wheelhouse.operator.ResourceDefinition;
import dev.wheelhouse.operator.schema.Required;
import lombok.Builder;
import lombok.Data;
import lombok.Value;

/** A page of the web. */
@ResourceDefinition(group = "example.com", version = "v1")
public class Website extends CustomResource<Website.Spec, Website.Status> {
    /** The user's wishes. */
    @Value
    @Builder(toBuilder = true)
    public static class Spec {
        @Required
        String html;
        int replicas;
    }

    /** The state of the page. */
    @Data
    public static class Status {
        private int pages;
        private List<V1Condition> conditions;
    }
}
