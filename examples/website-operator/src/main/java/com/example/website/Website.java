package com.example.website;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Condition;

import dev.wheelhouse.operator.CustomResource;
import dev.wheelhouse.operator.ResourceDefinition;

/** A page of HTML that some pods serve. */
@ResourceDefinition(group = "example.com", version = "v1", shortNames = "web")
public final class Website extends CustomResource<Website.Spec, Website.Status> {
    public record Spec(String html, int replicas) {}

    public record Status(int readyReplicas, List<V1Condition> conditions) {}
}
