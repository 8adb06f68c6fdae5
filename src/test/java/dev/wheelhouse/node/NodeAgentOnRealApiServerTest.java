package dev.wheelhouse.node;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;

import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.RunningService;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The node agent, with the node lifecycle controller alone, on a real kube-apiserver: by a kubeconfig, and with a
 * KubeletConfiguration. The controller removes the taint that the server gives to a new Node. Where there is no
 * kube-apiserver on the PATH the test is skipped, and says so.
 */
@Timeout(900)
class NodeAgentOnRealApiServerTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @Test
    void aNodeRegistersRenewsItsLeaseRunsPodsAndKeepsTheMirrorsOfItsStaticPods() throws Exception {
        Path manifests = Files.createDirectory(directory.resolve("manifests"));
        Path config = Files.writeString(directory.resolve("kubelet.yaml"), """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                staticPodPath: manifests
                fileCheckFrequency: 1h
                """);
        try (RealApiServer real = RealApiServer.startOrSkip(directory);
                RunningService service = RunningService.start(directory, "--wheelhouse.kubeconfig=" + real.kubeconfig(),
                        "--wheelhouse.context=real", "--wheelhouse.controllers=nodelifecycle",
                        "--wheelhouse.manage=takeover", "--wheelhouse.node.name=hollow-1",
                        "--wheelhouse.node.config=" + config)) {
            CoreV1Api core = new CoreV1Api(service.api());
            registersAndRenewsItsLease(core, new CoordinationV1Api(service.api()));
            runsAPodThatIsBoundToIt(core);
            keepsTheMirrorOfAStaticPod(core, manifests);
            runsTheStaticPodsOfAControlPlane(core, manifests);
        }
    }

    private static void registersAndRenewsItsLease(CoreV1Api core, CoordinationV1Api coordination) throws Exception {
        eventually("the node is ready, and its taint is gone", LONG, () -> {
            V1Node node = core.readNode("hollow-1").execute();
            return node.getStatus().getConditions().stream()
                    .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"))
                    && (node.getSpec().getTaints() == null || node.getSpec().getTaints().isEmpty());
        });
        OffsetDateTime first = renewTime(coordination);
        eventually("the Lease is renewed", LONG, () -> renewTime(coordination).isAfter(first));
    }

    private static OffsetDateTime renewTime(CoordinationV1Api coordination) throws ApiException {
        return Objects.requireNonNull(
                coordination.readNamespacedLease("hollow-1", "kube-node-lease").execute().getSpec().getRenewTime());
    }

    private static void runsAPodThatIsBoundToIt(CoreV1Api core) throws Exception {
        core.createNamespacedPod("default", new V1Pod().metadata(new V1ObjectMeta().name("bound"))
                .spec(new V1PodSpec().nodeName("hollow-1").overhead(null)
                        .addContainersItem(new V1Container().name("web").image("nginx:1.27"))))
                .execute();
        runs(core, "default", "bound");
        core.deleteNamespacedPod("bound", "default").execute();
        isGone(core, "bound");
    }

    private static void keepsTheMirrorOfAStaticPod(CoreV1Api core, Path manifests) throws Exception {
        Path manifest = Files.writeString(manifests.resolve("web.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, labels: {app: web}}
                spec: {containers: [{name: web, image: "nginx:1.27"}]}
                """);
        V1Pod mirror = runs(core, "default", "web-hollow-1");
        assertThat(mirror.getMetadata().getAnnotations()).containsKey("kubernetes.io/config.mirror");
        assertThat(mirror.getMetadata().getOwnerReferences()).singleElement()
                .satisfies(o -> assertThat(o.getKind() + "/" + o.getName()).isEqualTo("Node/hollow-1"));
        String container = mirror.getStatus().getContainerStatuses().get(0).getContainerID();

        for (Integer grace : new Integer[]{null, 0}) {
            String uid = read(core, "default", "web-hollow-1").getMetadata().getUid();
            core.deleteNamespacedPod("web-hollow-1", "default").gracePeriodSeconds(grace).execute();
            eventually("the mirror is back", LONG, () -> {
                V1Pod back = read(core, "default", "web-hollow-1");
                return !back.getMetadata().getUid().equals(uid) && "Running".equals(back.getStatus().getPhase());
            });
            assertThat(read(core, "default", "web-hollow-1").getStatus().getContainerStatuses().get(0).getContainerID())
                    .as("the pod itself was not touched").isEqualTo(container);
        }

        Files.writeString(manifest, "kind: [");
        eventually("an Event says why", LONG, () -> core.listNamespacedEvent("default").execute().getItems().stream()
                .anyMatch(e -> "web-hollow-1".equals(e.getInvolvedObject().getName())
                        && "FailedValidation".equals(e.getReason())));
        assertThat(read(core, "default", "web-hollow-1").getStatus().getPhase()).isEqualTo("Running");
        Files.delete(manifest);
        isGone(core, "web-hollow-1");
    }

    private static void runsTheStaticPodsOfAControlPlane(CoreV1Api core, Path manifests) throws Exception {
        List<String> names = List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
        for (String name : names) {
            try (InputStream in = Objects.requireNonNull(
                    NodeAgentOnRealApiServerTest.class.getResourceAsStream("/static-pods/" + name + ".yaml"))) {
                Files.copy(in, manifests.resolve(name + ".yaml"));
            }
        }
        for (String name : names) {
            V1Pod mirror = runs(core, "kube-system", name + "-hollow-1");
            assertThat(mirror.getSpec().getPriorityClassName()).isEqualTo("system-node-critical");
            assertThat(mirror.getMetadata().getLabels()).isEqualTo(Map.of("component", name, "tier", "control-plane"));
        }
    }

    private static V1Pod read(CoreV1Api core, String namespace, String name) throws ApiException {
        return core.readNamespacedPod(name, namespace).execute();
    }

    private static V1Pod runs(CoreV1Api core, String namespace, String name) throws ApiException {
        eventually(name + " runs", LONG,
                () -> "Running".equals(read(core, namespace, name).getStatus().getPhase()));
        return read(core, namespace, name);
    }

    private static void isGone(CoreV1Api core, String name) {
        eventually(name + " is gone", LONG, () -> {
            try {
                read(core, "default", name);
                return false;
            } catch (ApiException e) {
                return e.getCode() == 404;
            }
        });
    }
}
