package dev.wheelhouse.controllers.certificates;

import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** The certificates in each namespace (upstream: {@code rootcacertpublisher/publisher_test.go}). */
class RootCaPublisherTest {
    private static final ObjectKey PUBLISHED = ObjectKey.of("ops", "kube-root-ca.crt");
    private static final Map<String, String> DATA = Map.of("ca.crt", "the authority");

    private final Cluster cluster = new Cluster();
    private RootCaPublisher controller = publisher("the authority");

    private RootCaPublisher publisher(String rootCa) {
        ControllerOptions.Identity defaults = ControllerOptions.Identity.DEFAULTS;
        return new RootCaPublisher(cluster.context(Options.DEFAULTS.with(new ControllerOptions.Identity(
                rootCa, null, Map.of(), defaults.clusterSigningDuration(), defaults.legacyTokenCleanUpPeriod()))));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void namespace() {
        cluster.create(ResourceType.NAMESPACES, V1Namespace.class,
                "{apiVersion: v1, kind: Namespace, metadata: {name: ops}}");
        cluster.settle(controller.loops());
        cluster.requests.takeWrites();
    }

    private V1ConfigMap published() {
        return cluster.read(ResourceType.CONFIG_MAPS, PUBLISHED, V1ConfigMap.class);
    }

    @Test
    void otherAuthoritiesReplaceThePublishedOnes() {
        namespace();
        cluster.forgetCaches();
        controller = publisher("another authority");
        cluster.settle(controller.loops());
        assertThat(published().getData()).isEqualTo(Map.of("ca.crt", "another authority"));
    }

    @Test
    void aNamespaceThatEndsGetsNone() {
        namespace();
        cluster.delete(ResourceType.NAMESPACES, ObjectKey.cluster("ops"));
        cluster.delete(ResourceType.CONFIG_MAPS, PUBLISHED);
        cluster.settle(controller.loops());
        assertThat(cluster.requests.takeWrites()).isEmpty();
    }

    /** The cache does not show yet that the namespace ends. */
    @Test
    void aRefusalBecauseTheNamespaceEndsIsNoFailure() {
        namespace();
        cluster.withhold(ResourceType.NAMESPACES);
        cluster.measures.clear();
        cluster.delete(ResourceType.NAMESPACES, ObjectKey.cluster("ops"));
        cluster.delete(ResourceType.CONFIG_MAPS, PUBLISHED);
        cluster.settle(controller.loops());
        assertThat(cluster.requests.takeWrites()).hasSize(1);
        assertThat(cluster.measures).containsEntry("root_ca_cert_publisher_sync_total{200}", 1.0);
    }
}
