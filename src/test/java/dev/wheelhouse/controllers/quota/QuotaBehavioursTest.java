package dev.wheelhouse.controllers.quota;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuota;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The controller of quotas")
class QuotaBehavioursTest {
    private static final ResourceType WIDGETS = new ResourceType("example.com", "v1", "widgets", "Widget", true);
    private static final ObjectKey QUOTA = ObjectKey.of("default", "q");

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.SERVICES,
            ResourceType.PERSISTENT_VOLUME_CLAIMS, ResourceType.CONFIG_MAPS, ResourceType.RESOURCE_QUOTAS,
            ResourceType.EVENTS, ResourceType.CUSTOM_RESOURCE_DEFINITIONS);
    private QuotaController controller = new QuotaController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void quota(String spec) {
        cluster.create(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class,
                "{metadata: {namespace: default, name: q}, spec: {%s}}", spec);
    }

    private void pod(String name, String spec) {
        cluster.create(ResourceType.PODS, V1Pod.class,
                "{metadata: {namespace: default, name: %s}, spec: {containers: [{name: c, image: i}]%s}}", name, spec);
    }

    private void settle() {
        cluster.settle(controller.loops(), Duration.ofSeconds(1));
    }

    private String status() {
        return String.valueOf(cluster.json(ResourceType.RESOURCE_QUOTAS, QUOTA).get("status"));
    }

    private String used(String limit) {
        return cluster.json(ResourceType.RESOURCE_QUOTAS, QUOTA).path("status").path("used").path(limit).asString("");
    }

    @Test
    void aLimitThatNothingCountsAgainstHasNoUsage() {
        quota("hard: {pods: 5, requests.example.com/nothing: 1, example.com/odd: 3}");
        settle();

        assertThat(used("example.com/odd")).isEmpty();
        assertThat(used("requests.example.com/nothing")).isEqualTo("0");
    }

    @Test
    void everyFiveMinutesAllIsCountedAgain() {
        quota("hard: {pods: 5}");
        settle();
        cluster.edit(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, QUOTA,
                quota -> quota.getStatus().getUsed().put("pods", Quantity.fromString("3")));
        settle();
        assertThat(used("pods")).as("a change of the status is not looked at").isEqualTo("3");

        cluster.clock.advance(Duration.ofMinutes(5));
        settle();
        assertThat(used("pods")).isEqualTo("0");
    }

    @Test
    void objectsOfATypeThatIsDefinedLaterCount() {
        quota("hard: {count/widgets.example.com: 2}");
        settle();
        assertThat(used("count/widgets.example.com")).isEmpty();

        cluster.define(WIDGETS);
        cluster.requests.discover(WIDGETS);
        cluster.clock.advance(Duration.ofSeconds(30));
        settle();
        assertThat(used("count/widgets.example.com")).isEqualTo("0");
        cluster.create(WIDGETS, Yaml.read(
                "{apiVersion: example.com/v1, kind: Widget, metadata: {namespace: default, name: w}}",
                Unstructured.class));
        settle();
        assertThat(used("count/widgets.example.com")).isEqualTo("1");

        cluster.remove(WIDGETS, ObjectKey.of("default", "w"));
        settle();
        assertThat(used("count/widgets.example.com")).isEqualTo("0");
    }

    @Test
    void theUsageOfATypeThatCannotBeReadStaysAsItWas() {
        cluster.create(ResourceType.CONFIG_MAPS, Manifests.configMap("a"));
        quota("hard: {configmaps: 9, pods: 9}");
        settle();
        assertThat(used("configmaps")).isEqualTo("1");
        controller.close();
        cluster.forgetCaches();
        cluster.withhold(ResourceType.CONFIG_MAPS);
        controller = new QuotaController(cluster.context());
        pod("a", "");
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "a"));
        cluster.settle(controller.loops());
        assertThat(used("pods")).as("it waits for all types").isEqualTo("1");

        settle();

        assertThat(used("configmaps")).isEqualTo("1");
        assertThat(used("pods")).isEqualTo("0");
    }

    @Test
    void aWriteThatTheServerOvertakesIsTriedAgain() {
        quota("hard: {pods: 5}");
        settle();
        pod("a", "");
        pod("b", "");
        settle();
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", "a"));
        cluster.deliver();
        pod("c", "");
        Cluster.work(controller.loops());
        assertThat(used("pods")).as("the stale count was refused").isEqualTo("3");

        settle();
        assertThat(used("pods")).isEqualTo("2");
    }

    @Test
    void aPlanShowsTheStatusThatIsDue() {
        quota("hard: {pods: 5}");
        cluster.deliver();
        Cluster.work(List.of(controller.loops().getLast()));
        cluster.deliver();

        assertThat(controller.plan(QUOTA)).singleElement().isInstanceOfSatisfying(Action.UpdateStatus.class,
                update -> assertThat(update.why()).isEqualTo("the limits have changed"));
        assertThat(controller.plan(ObjectKey.of("default", "none"))).isEmpty();
        assertThat(status()).isEqualTo("{}");
    }
}
