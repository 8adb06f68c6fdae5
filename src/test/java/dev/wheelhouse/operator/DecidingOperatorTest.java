package dev.wheelhouse.operator;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;

import dev.wheelhouse.api.ResourceType;

class DecidingOperatorTest {
    private final OperatorWorld world = new OperatorWorld(new SiteOperator());

    @AfterEach
    void close() {
        world.close();
    }

    private void createBlog() {
        world.createSite("""
                {metadata: {name: blog, namespace: default}, spec: {image: "blog:1", replicas: 2, hosts: [a.example]}}""");
    }

    @Test
    void appliesTheDesiredObjectsWithTheirOwnerAndWritesTheStatus() {
        createBlog();
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog",
                "apply configmaps default/blog", "patch sites.example.com/status default/blog");
        Site site = world.cluster.read(SITES, BLOG, Site.class);
        assertThat(world.json(ResourceType.DEPLOYMENTS).at("/metadata/ownerReferences/0")).hasToString("""
                {"apiVersion":"example.com/v1","blockOwnerDeletion":true,"controller":true,"kind":"Site",\
                "name":"blog","uid":"%s"}""".formatted(site.getMetadata().getUid()));
        assertThat(world.json(SITES).at("/status/conditions/0/message").asString()).isEqualTo("0 of 2 are ready");
        assertThat(world.json(SITES).at("/status/conditions/0/observedGeneration").asInt()).isEqualTo(1);
    }

    @Test
    void writesNothingWhereNothingChanges() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                deployment -> deployment.getMetadata().putLabelsItem("somebody", "else"));
        world.settle();
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void deletesWhatIsNotWantedAnyMore() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("blog:1", 2, null)));
        world.settle();
        assertThat(world.writes()).contains("delete configmaps default/blog");
        assertThat(world.read(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).isNull();
    }

    @Test
    void takesBackFieldsThatOthersChange() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                deployment -> deployment.getSpec().setReplicas(7));
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog");
        assertThat(world.json(ResourceType.DEPLOYMENTS).at("/spec/replicas").asInt()).isEqualTo(2);
    }

    @Test
    void aNewProcessAppliesOnceAndChangesNothing() {
        createBlog();
        world.settle();
        world.writes();
        String version = world.cluster.version();
        world.restart();
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog",
                "apply configmaps default/blog");
        assertThat(world.cluster.version()).isEqualTo(version);
    }
}
