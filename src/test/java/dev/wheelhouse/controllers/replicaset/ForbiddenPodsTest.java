package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controllers.quota.QuotaController;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Manifests;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pods that the API server forbids. Upstream retries after up to 16 minutes; this controller when the reason may be
 * gone.
 */
class ForbiddenPodsTest {
    private static final ObjectKey QUOTA = ObjectKey.of("default", "one");
    private static final V1Pod OTHER = ReplicaSetSystem.pod("other", "other");

    private final ReplicaSetSystem system = new ReplicaSetSystem();
    private final QuotaController quotas = new QuotaController(system.cluster.context());

    @AfterEach
    void close() {
        system.close();
    }

    /** Creates a quota of one pod, which another pod has, and an owner that wants two. */
    private void refusedByQuota() {
        system.createPod(OTHER);
        system.cluster.create(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, """
                {metadata: {namespace: default, name: one}, spec: {hard: {pods: "1", configmaps: "9"}}}""");
        system.cluster.settle(loops(), Duration.ofSeconds(1));
        refusedForHours();
    }

    /** Refuses pods for a reason that no watch shows. */
    private void refusedByPolicy() {
        system.cluster.requests.fault(Requests.Fault.on("create", ResourceType.PODS,
                () -> new KubeApiException("create pods default/web-*", 403, "Forbidden", "a policy forbids it",
                        null)));
        refusedForHours();
    }

    private void refusedForHours() {
        system.create("web", 2);
        run(Duration.ofHours(2));
        assertThat(system.podsOf("web")).isEmpty();
        system.cluster.requests.take();
    }

    private List<Loop> loops() {
        return Stream.concat(system.controller.loops().stream(), quotas.loops().stream()).toList();
    }

    /** Moves the clock in steps. */
    private void run(Duration time) {
        for (Duration t = Duration.ZERO; t.compareTo(time) < 0; t = t.plusSeconds(10)) {
            system.cluster.settle(loops());
            system.cluster.clock.advance(Duration.ofSeconds(10));
        }
    }

    /** Delivers and works without moving the clock. */
    private List<String> atOnce() {
        system.cluster.settle(loops());
        return system.cluster.requests.take();
    }

    @Test
    void aRaisedQuotaWakesTheOwnerAtOnce() {
        refusedByQuota();
        system.cluster.edit(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, QUOTA,
                quota -> quota.getSpec().getHard().put("pods", Quantity.fromString("5")));
        atOnce();
        assertThat(system.podsOf("web")).hasSize(2);
    }

    @Test
    void aPodThatLeavesAQuotaWakesTheOwnerAtOnceAndAnObjectThatEntersItDoesNot() {
        refusedByQuota();
        system.cluster.create(ResourceType.CONFIG_MAPS, Manifests.configMap("more"));
        assertThat(atOnce()).noneMatch(r -> r.startsWith("create pods"));
        system.remove(OTHER);
        atOnce();
        assertThat(system.podsOf("web")).hasSize(1);
    }

    @Test
    void aQuotaThatIsDeletedWakesTheOwnerAtOnce() {
        refusedByQuota();
        system.cluster.remove(ResourceType.RESOURCE_QUOTAS, QUOTA);
        atOnce();
        assertThat(system.podsOf("web")).hasSize(2);
    }

    @Test
    void aServiceAccountThatAppearsWakesTheOwnersOfItsNamespaceAlone() {
        refusedByPolicy();
        system.cluster.requests.noFault();
        system.cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: other}}");
        assertThat(atOnce()).noneMatch(r -> r.startsWith("create pods"));
        system.cluster.create(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class,
                "{metadata: {namespace: default, name: builder}}");
        atOnce();
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void oneOwnerThatGetsThroughWakesTheOthers() {
        refusedByPolicy();
        system.create("api", 1);
        run(Duration.ofMinutes(3));
        assertThat(system.pods()).isEmpty();
        system.cluster.requests.noFault();
        system.scale("api", 2);
        atOnce();
        assertThat(system.podsOf("api")).hasSize(2);
        system.cluster.clock.advance(Duration.ofSeconds(1));
        system.settle();
        assertThat(system.podsOf("web")).hasSize(2);
    }

    @Test
    void aReasonThatNoWatchShowsIsFoundOutWithinAMinute() {
        refusedByPolicy();
        system.cluster.requests.noFault();
        run(Duration.ofSeconds(70));
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void anOwnerThatStaysForbiddenAsksOnceAMinute() {
        refusedByPolicy();
        run(Duration.ofMinutes(10));
        assertThat(system.cluster.requests.take()).filteredOn(r -> r.startsWith("create pods")).hasSizeBetween(9, 11);
    }
}
