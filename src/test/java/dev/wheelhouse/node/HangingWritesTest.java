package dev.wheelhouse.node;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes of some pods' statuses and mirror pods hang. The node's other pods are not affected. */
class HangingWritesTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Set<String> WRITES = Set.of("create", "update", "patch", "delete");

    private final CountDownLatch release = new CountDownLatch(1);

    /** A client whose writes for pods with names beginning with "hang" wait. */
    private KubeClient hanging(KubeClient client) {
        return proxy(KubeClient.class, client);
    }

    private <T> T proxy(Class<T> port, T target) {
        return port.cast(Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[]{port}, (self, method, args) -> {
            if (WRITES.contains(method.getName()) && Arrays.stream(args)
                    .anyMatch(a -> a instanceof ObjectKey key && key.name().startsWith("hang")
                            || a instanceof V1Pod pod && pod.getMetadata().getName().startsWith("hang"))) {
                release.await();
            }
            try {
                Object result = method.invoke(target, args);
                return switch (result) {
                    case ResourceClient<?> resources -> proxy(ResourceClient.class, resources);
                    case KubeClient same -> hanging(same);
                    case null, default -> result;
                };
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private static String phase(ResourceClient<V1Pod> pods, String name) {
        try {
            return Objects.requireNonNull(pods.get(ObjectKey.of("default", name)).getStatus().getPhase());
        } catch (KubeApiException e) {
            assertThat(e.isNotFound()).isTrue();
            return "absent";
        }
    }

    private static void manifest(Path directory, String name) throws IOException {
        Files.writeString(directory.resolve(name + ".yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name
                + "}\nspec: {containers: [{name: c, image: nginx}]}\n");
    }

    @Test
    void podsWhoseWritesHangDelayNoOther(@TempDir Path manifests) throws IOException {
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults());
                NodeAgent node = NodeAgent.registered(
                        NodeAgentOptions.hollow("node-1", 0).withManifests(manifests, Duration.ofHours(1)),
                        hanging(server.client("node")), EventRecorder.NONE, Meters.NONE, Clock.system());
                LoopRunner runner = new LoopRunner("test", Clock.system())) {
            ResourceClient<V1Pod> pods = server.client("test").resource(ResourceType.PODS, V1Pod.class);
            node.start(runner);
            Eventually.eventually("the node is ready", SOON, node::isReady);
            for (int i = 0; i < 5; i++) {
                manifest(manifests, "hang-static-" + i);
            }
            for (int i = 0; i < 10; i++) {
                pods.create(NodeHarness.pod("hang-" + i, Map.of(), NodeHarness.container("web")));
            }
            Eventually.eventually("all run, though their writes hang", SOON, () -> node.knownPods().size() == 15);

            pods.create(NodeHarness.pod("quick", Map.of(), NodeHarness.container("web")));
            Eventually.eventually("another pod runs and is reported", SOON,
                    () -> phase(pods, "quick").equals("Running"));
            manifest(manifests, "quick-static");
            Eventually.eventually("another static pod has its mirror", SOON,
                    () -> phase(pods, "quick-static-node-1").equals("Running"));
            pods.delete(ObjectKey.of("default", "quick"), Deletion.unconditional());
            Eventually.eventually("another pod stops", SOON, () -> phase(pods, "quick").equals("absent"));
            assertThat(phase(pods, "hang-0")).isEqualTo("Pending");
            assertThat(phase(pods, "hang-static-0-node-1")).isEqualTo("absent");

            release.countDown();

            for (int i = 0; i < 10; i++) {
                String name = "hang-" + i;
                Eventually.eventually(name + " is reported", SOON, () -> phase(pods, name).equals("Running"));
            }
            Eventually.eventually("the mirrors are there", SOON,
                    () -> phase(pods, "hang-static-4-node-1").equals("Running"));
        }
    }
}
