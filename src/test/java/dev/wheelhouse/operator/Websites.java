package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Description;
import dev.wheelhouse.operator.schema.Limits;
import dev.wheelhouse.operator.schema.ListKeys;
import dev.wheelhouse.operator.schema.Matches;
import dev.wheelhouse.operator.schema.PrinterColumn;
import dev.wheelhouse.operator.schema.Required;
import dev.wheelhouse.operator.schema.Rule;
import dev.wheelhouse.operator.schema.Scale;

/** A custom resource with a field of every sort, in two versions. */
@NullMarked
final class Websites {
    private Websites() {}

    @ResourceDefinition(group = "example.com", version = "v1", shortNames = "ws", otherVersions = Beta.class)
    @Description("A site that is served from a text.")
    @PrinterColumn(value = "Ready", path = ".status.conditions[?(@.type==\"Ready\")].status")
    @Scale(selector = ".status.selector")
    @Rule(value = "self.metadata.name.size() <= 50", message = "the name has at most 50 characters")
    static final class Website extends CustomResource<Website.Spec, Website.Status> {
        @Description("The wanted site.")
        @Rule(value = "self.replicas >= size(self.hosts)", message = "each host needs a replica")
        record Spec(
                @Description("The names by which it is reached.") @Limits(min = 1, max = 8) Set<String> hosts,
                @Limits(min = 0, max = 100) @Default("1") @PrinterColumn int replicas,
                @Matches("^[a-z0-9./:-]+$") @Default("nginx") @PrinterColumn(value = "Image", wide = true) String image,
                @Rule(value = "self == oldSelf", message = "the theme cannot be changed") @Nullable Theme theme,
                @Nullable List<Page> pages, @Nullable @ListKeys("path") List<Route> routes,
                @Nullable Map<String, Integer> weights, @Nullable @Limits(max = 9) Map<String, Object> labels,
                @Nullable Quantity cache, @Nullable IntOrString port,
                @Nullable V1ResourceRequirements resources, @Nullable List<V1Container> sidecars,
                @Nullable V1LabelSelector nodes, @Nullable V1ConfigMap template, @Nullable Object extra,
                Optional<String> owner, @Nullable Duration refresh,
                @SerializedName("default") boolean isDefault, @Nullable Double ratio) {}

        static class Page {
            String title = "";
            byte[] icon = {};
            transient int hits;
        }

        record Route(String path, @Default("301") int code, @Required @Nullable String target) {}

        @Description("How it looks.")
        enum Theme {
            LIGHT, DARK
        }

        record Status(int replicas, String selector, Instant since, List<V1Condition> conditions) {}
    }

    @Deprecated
    @ResourceDefinition(group = "example.com", version = "v1beta1", kind = "Website")
    static final class Beta extends CustomResource<Beta.Spec, Void> {
        record Spec(List<String> hosts, int replicas) {}
    }
}
