package dev.wheelhouse.controllers.replicaset;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1ResourceQuotaStatus;

import dev.wheelhouse.api.ApiError;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.PartialObjectMetadata;
import dev.wheelhouse.api.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pods that the API server forbids. Upstream retries after up to 16 minutes; this controller when the reason may be
 * gone.
 */
class ForbiddenPodsTest {
    private static final ObjectKey QUOTA = ObjectKey.of("default", "two");

    private final ReplicaSetSystem system = new ReplicaSetSystem();
    private boolean forbidden = true;

    @BeforeEach
    void refusedForHours() {
        system.api.fault((verb, type, key) -> forbidden && verb.equals("create") && type.equals(ResourceType.PODS)
                ? refusal()
                : null);
        system.api.resource(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class).create(quota("0", "0"));
        system.create("web", 2);
        run(Duration.ofHours(2));
        assertThat(system.pods()).isEmpty();
        system.api.takeRequests();
    }

    private static @Nullable ApiError refusal() {
        return new ApiError("create pods default/web-*", 403, "Forbidden",
                "pods \"web-x\" is forbidden: exceeded quota: two", null);
    }

    private static V1ResourceQuota quota(String hard, String used) {
        return new V1ResourceQuota().metadata(new V1ObjectMeta().namespace("default").name("two"))
                .spec(new V1ResourceQuotaSpec().hard(Map.of("pods", Quantity.fromString(hard))))
                .status(new V1ResourceQuotaStatus().hard(Map.of("pods", Quantity.fromString(hard)))
                        .used(Map.of("pods", Quantity.fromString(used))));
    }

    /** Moves the clock in steps. */
    private void run(Duration time) {
        for (Duration t = Duration.ZERO; t.compareTo(time) < 0; t = t.plusSeconds(10)) {
            system.informers.deliver();
            while (system.step() == 0) {
                system.informers.deliver();
            }
            system.clock.advance(Duration.ofSeconds(10));
        }
    }

    /** Delivers and works without moving the clock. */
    private Set<String> atOnce() {
        Set<String> requests = new TreeSet<>();
        system.informers.deliver();
        for (int i = 0; i < 20; i++) {
            system.step();
        }
        requests.addAll(system.api.takeRequests());
        return requests;
    }

    @Test
    void aRaisedQuotaWakesTheOwnerAtOnce() {
        forbidden = false;
        system.api.edit(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, QUOTA,
                q -> q.getStatus().setHard(Map.of("pods", Quantity.fromString("5"))));
        atOnce();
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void podsThatLeaveAQuotaWakeTheOwnerAtOnceAndPodsThatEnterItDoNot() {
        system.api.edit(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, QUOTA,
                q -> q.getStatus().setUsed(Map.of("pods", Quantity.fromString("4"))));
        assertThat(atOnce()).noneMatch(r -> r.startsWith("create pods"));
        forbidden = false;
        system.api.edit(ResourceType.RESOURCE_QUOTAS, V1ResourceQuota.class, QUOTA,
                q -> q.getStatus().setUsed(Map.of("pods", Quantity.fromString("1"))));
        atOnce();
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void aQuotaThatIsDeletedWakesTheOwnerAtOnce() {
        forbidden = false;
        system.api.remove(ResourceType.RESOURCE_QUOTAS, QUOTA);
        atOnce();
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void aServiceAccountThatAppearsWakesTheOwnersOfItsNamespaceAlone() {
        forbidden = false;
        createServiceAccount("other");
        assertThat(atOnce()).noneMatch(r -> r.startsWith("create pods"));
        createServiceAccount("default");
        atOnce();
        assertThat(system.pods()).hasSize(2);
    }

    private void createServiceAccount(String namespace) {
        PartialObjectMetadata account = new PartialObjectMetadata();
        account.setMetadata(new V1ObjectMeta().namespace(namespace).name("default"));
        system.api.metadata(ResourceType.SERVICE_ACCOUNTS).create(account);
    }

    @Test
    void oneOwnerThatGetsThroughWakesTheOthers() {
        system.create("api", 1);
        run(Duration.ofMinutes(3));
        assertThat(system.pods()).isEmpty();
        forbidden = false;
        system.scale("api", 2);
        atOnce();
        assertThat(system.podsOf("api")).hasSize(2);
        system.informers.deliver();
        system.clock.advance(Duration.ofSeconds(1));
        system.settle();
        assertThat(system.podsOf("web")).hasSize(2);
    }

    @Test
    void whatNoWatchTellsIsFoundOutWithinAMinute() {
        forbidden = false;
        run(Duration.ofSeconds(70));
        assertThat(system.pods()).hasSize(2);
    }

    @Test
    void anOwnerThatStaysForbiddenAsksOnceAMinute() {
        run(Duration.ofMinutes(10));
        assertThat(system.api.takeRequests().stream().filter(r -> r.startsWith("create pods"))).hasSizeBetween(9, 11);
    }
}
