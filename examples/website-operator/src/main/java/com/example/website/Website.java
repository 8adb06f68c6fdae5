package com.example.website;

import java.util.List;

import io.kubernetes.client.openapi.models.V1Condition;

import dev.wheelhouse.operator.CustomResource;
import dev.wheelhouse.operator.ResourceDefinition;
import dev.wheelhouse.operator.schema.PrinterColumn;
import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Description;
import dev.wheelhouse.operator.schema.Limits;
import dev.wheelhouse.operator.schema.Required;

/** A page of HTML that some web servers serve. */
@ResourceDefinition(group = "example.com", version = "v1", shortNames = "web")
@Description("A page of HTML that some web servers serve.")
public final class Website extends CustomResource<Website.Spec, Website.Status> {
    public record Spec(
            @Required @Description("The page.") String html,
            @Default("1") @Limits(min = 0, max = 100) @Description("The number of web servers.") int replicas) {}

    public record Status(@PrinterColumn("Ready") int readyReplicas, List<V1Condition> conditions) {
        /** The operator's conditions are added to this. */
        Status(int readyReplicas) {
            this(readyReplicas, null);
        }
    }
}
