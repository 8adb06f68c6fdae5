package dev.wheelhouse.controllers.serviceaccount;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about default accounts (upstream: {@code test/integration/serviceaccount}). */
class ServiceAccountBehavioursTest {
    private static final ObjectKey OPS = ObjectKey.cluster("ops");
    private static final ObjectKey DEFAULT = ObjectKey.of("ops", "default");

    private final Cluster cluster = new Cluster();
    private ServiceAccountController controller = new ServiceAccountController(cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void namespace(String more) {
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class,
                "{apiVersion: v1, kind: Namespace, metadata: {name: ops%s}}", more);
    }

    private void settle() {
        cluster.settle(controller.loops());
    }

    @Test
    void eachNamespaceGetsTheAccountDefaultAndNoOther() {
        settle();
        assertThat(cluster.requests.takeWrites()).containsExactlyInAnyOrder("create serviceaccounts default/default",
                "create serviceaccounts kube-system/default", "create serviceaccounts kube-public/default",
                "create serviceaccounts kube-node-lease/default");
        namespace("");
        settle();
        assertThat(cluster.requests.takeWrites()).containsExactly("create serviceaccounts ops/default");
        assertThat(cluster.read(ResourceType.SERVICE_ACCOUNTS, DEFAULT, V1ServiceAccount.class).getSecrets())
                .isNullOrEmpty();
    }

    @Test
    void aNamespaceThatEndsGetsNoAccount() {
        namespace("");
        settle();
        cluster.delete(ResourceType.NAMESPACES, OPS);
        cluster.requests.takeWrites();
        cluster.delete(ResourceType.SERVICE_ACCOUNTS, DEFAULT);
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    /** The cache does not show yet that the namespace ends. */
    @Test
    void aRefusalBecauseTheNamespaceEndsIsNotTriedAgain() {
        namespace("");
        settle();
        cluster.withhold(ResourceType.NAMESPACES);
        cluster.requests.takeWrites();
        cluster.delete(ResourceType.NAMESPACES, OPS);
        cluster.delete(ResourceType.SERVICE_ACCOUNTS, DEFAULT);
        settle();
        assertThat(cluster.requests.takeWrites()).hasSize(1);
        cluster.clock.advance(Duration.ofHours(1));
        settle();
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }
}
