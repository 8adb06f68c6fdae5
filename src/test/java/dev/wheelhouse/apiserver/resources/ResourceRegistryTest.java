package dev.wheelhouse.apiserver.resources;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.facts.ResourceInfo;

import static org.assertj.core.api.Assertions.assertThat;

class ResourceRegistryTest {
    private final ResourceRegistry registry = ResourceRegistry.builtIn();

    @Test
    void findsABuiltInResourceWithItsNamesAndVerbs() {
        ResourceInfo deployments = registry.find("apps", "v1", "deployments");

        assertThat(deployments).isNotNull();
        assertThat(deployments.type()).isEqualTo(ResourceType.DEPLOYMENTS);
        assertThat(deployments.singular()).isEqualTo("deployment");
        assertThat(deployments.shortNames()).containsExactly("deploy");
        assertThat(deployments.categories()).containsExactly("all");
        assertThat(deployments.verbs()).containsExactly("create", "delete", "deletecollection", "get", "list", "patch",
                "update", "watch");
    }

    @Test
    void knowsSubresourcesAndTheKindsThatTheyAnswerWith() {
        ResourceInfo pods = registry.find("", "v1", "pods");
        ResourceInfo deployments = registry.find("apps", "v1", "deployments");

        assertThat(pods).isNotNull();
        assertThat(pods.has("status")).isTrue();
        assertThat(pods.has("scale")).isFalse();
        assertThat(pods.subresource("eviction"))
                .isEqualTo(new ResourceInfo.Subresource("eviction", "policy", "v1", "Eviction", Set.of("create")));
        assertThat(deployments).isNotNull();
        assertThat(deployments.subresource("scale")).isEqualTo(new ResourceInfo.Subresource("scale", "autoscaling",
                "v1", "Scale", Set.of("get", "patch", "update")));
    }

    @Test
    void ordersGroupsAndVersionsAsDiscoveryDoes() {
        List<String> groupVersions = registry.all().stream().map(r -> r.type().apiVersion()).distinct().toList();

        assertThat(groupVersions).startsWith("v1", "apiregistration.k8s.io/v1", "apps/v1", "events.k8s.io/v1",
                "authentication.k8s.io/v1", "authorization.k8s.io/v1", "autoscaling/v2", "autoscaling/v1", "batch/v1");
    }

    @Test
    void findsAResourceByTheKindOfItsObjects() {
        assertThat(registry.findKind("apps/v1", "ReplicaSet")).isEqualTo(registry.find("apps", "v1", "replicasets"));
        assertThat(registry.findKind("apps/v1", "Pod")).isNull();
    }

    @Test
    void customResourcesComeAfterTheBuiltInOnesByVersionPreferenceAndGoAgain() {
        int builtIn = registry.all().size();
        serve(custom("z.example.com", "v1", "things"), custom("a.example.com", "v1beta1", "widgets"),
                custom("a.example.com", "v1", "widgets"), custom("a.example.com", "v2alpha1", "widgets"));

        assertThat(registry.all().subList(builtIn, builtIn + 4)).extracting(r -> r.type().apiVersion())
                .containsExactly("a.example.com/v1", "a.example.com/v1beta1", "a.example.com/v2alpha1",
                        "z.example.com/v1");

        serve(custom("z.example.com", "v1", "things"), custom("a.example.com", "v1beta1", "widgets"),
                custom("a.example.com", "v2alpha1", "widgets"));
        assertThat(registry.find("a.example.com", "v1", "widgets")).isNull();
        assertThat(registry.all()).hasSize(builtIn + 3);
    }

    private void serve(ResourceInfo... custom) {
        ResourceRegistry.Served served = registry.with(List.of(custom));
        registry.follow(() -> served);
    }

    private static ResourceInfo custom(String group, String version, String plural) {
        return new BuiltInResource(new ResourceType(group, version, plural, "Thing" + plural, true), "thing", List.of(),
                List.of(), Set.of("get"), List.of());
    }
}
