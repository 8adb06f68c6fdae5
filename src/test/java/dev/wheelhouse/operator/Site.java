package dev.wheelhouse.operator;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Condition;

/** A custom resource whose spec is a record and whose status is a class with fields. */
@ResourceDefinition(group = "example.com", version = "v1")
class Site extends CustomResource<Site.Spec, Site.Status> {
    record Spec(@Nullable String image, int replicas, @Nullable List<String> hosts) {}

    static class Status {
        @Nullable
        Integer ready;
        @Nullable
        List<V1Condition> conditions;

        static Status ready(int ready) {
            Status status = new Status();
            status.ready = ready;
            return status;
        }
    }
}
