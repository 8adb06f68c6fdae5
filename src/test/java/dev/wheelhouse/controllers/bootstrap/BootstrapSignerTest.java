package dev.wheelhouse.controllers.bootstrap;

import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about signatures (upstream: {@code bootstrapsigner_test.go}), and those of expired tokens. */
class BootstrapSignerTest {
    private final Cluster cluster = new Cluster();
    private final BootstrapSigner controller = new BootstrapSigner(cluster.context());

    @BeforeEach
    void aDescriptionOfTheCluster() {
        cluster.create(ResourceType.CONFIG_MAPS, V1ConfigMap.class, """
                {metadata: {namespace: kube-public, name: cluster-info}, data: {kubeconfig: one, other: stays}}""");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void token(String name, String fields) {
        cluster.create(ResourceType.SECRETS, V1Secret.class, """
                {metadata: {namespace: kube-system, name: bootstrap-token-%s}, type: bootstrap.kubernetes.io/token,
                 stringData: {%s}}""", name, fields);
    }

    private static String signing(String id) {
        return "token-id: " + id + ", token-secret: secret-of-" + id + ", usage-bootstrap-signing: 'true'";
    }

    private Map<String, String> data() {
        cluster.settle(controller.loops());
        return cluster.read(ResourceType.CONFIG_MAPS, BootstrapSigner.CLUSTER_INFO, V1ConfigMap.class).getData();
    }

    private static String signed(String content, String id) {
        return DetachedSignature.of(content, id, "secret-of-" + id);
    }

    @Test
    void eachTokenSignsAndNothingElseChanges() {
        token("abcdef", signing("abcdef"));
        token("xyz789", signing("xyz789"));

        assertThat(data()).isEqualTo(Map.of("kubeconfig", "one", "other", "stays",
                "jws-kubeconfig-abcdef", signed("one", "abcdef"), "jws-kubeconfig-xyz789", signed("one", "xyz789")));
    }

    @Test
    void aChangedKubeconfigIsSignedAgain() {
        token("abcdef", signing("abcdef"));
        cluster.settle(controller.loops());
        cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, BootstrapSigner.CLUSTER_INFO,
                info -> info.putDataItem("kubeconfig", "zwei: ä\n"));

        assertThat(data()).containsEntry("jws-kubeconfig-abcdef", signed("zwei: ä\n", "abcdef"));
    }

    @Test
    void aSignatureThatWasChangedOrThatNoTokenMadeIsCorrected() {
        token("abcdef", signing("abcdef"));
        cluster.settle(controller.loops());
        cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, BootstrapSigner.CLUSTER_INFO,
                info -> info.putDataItem("jws-kubeconfig-abcdef", "forged").putDataItem("jws-kubeconfig-zzzzzz", "x"));

        assertThat(data()).containsEntry("jws-kubeconfig-abcdef", signed("one", "abcdef"))
                .doesNotContainKey("jws-kubeconfig-zzzzzz");
    }
}
