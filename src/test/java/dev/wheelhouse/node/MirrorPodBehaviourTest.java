package dev.wheelhouse.node;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.podconfig.PodSources;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The requirements of mirror pods, one test each: static pods from a directory, and their mirror pods on the API
 * server.
 */
class MirrorPodBehaviourTest {
    private static final Duration A_WHILE = Duration.ofSeconds(25);

    @TempDir
    Path directory;

    private NodeHarness node = new NodeHarness();

    @BeforeEach
    void start() {
        node.agent.close();
        node = new NodeHarness(options());
    }

    @AfterEach
    void stop() {
        node.agent.close();
    }

    private NodeAgentOptions options() {
        return NodeAgentOptions.hollow("node-1", 0).withManifests(directory, Duration.ofSeconds(20));
    }

    private void write(String image, String... annotations) throws IOException {
        StringBuilder more = new StringBuilder();
        for (String annotation : annotations) {
            more.append("\n    ").append(HollowProfile.PREFIX).append(annotation);
        }
        Files.writeString(directory.resolve("web.yaml"),
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  annotations:\n    a: b" + more
                        + "\nspec: {containers: [{name: web, image: '" + image + "'}]}\n");
        node.pass(A_WHILE);
    }

    private V1Pod mirror() {
        return node.get("web-node-1");
    }

    private String uid() {
        return Objects.requireNonNull(mirror().getMetadata().getUid());
    }

    @Test
    void eachStaticPodHasAMirrorWithItsHashWhoseSoleOwnerIsTheNode() throws IOException {
        write("nginx:1");

        V1Pod mirror = mirror();
        assertThat(mirror.getStatus().getPhase()).isEqualTo("Running");
        assertThat(node.condition("web-node-1", "Ready")).isEqualTo("True");
        assertThat(PodSources.annotation(mirror, PodSources.MIRROR_ANNOTATION)).isNotNull()
                .isEqualTo(PodSources.annotation(mirror, PodSources.HASH_ANNOTATION));
        assertThat(PodSources.annotation(mirror, PodSources.SOURCE_ANNOTATION)).isEqualTo("file");
        assertThat(mirror.getMetadata().getOwnerReferences()).singleElement().satisfies(o -> {
            assertThat(o.getKind()).isEqualTo("Node");
            assertThat(o.getController()).isTrue();
        }).extracting(V1OwnerReference::getUid)
                .isEqualTo(Objects.requireNonNull(node.agent.node()).getMetadata().getUid());
    }

    @Test
    void deletingTheMirrorGentlyOrByForceBringsItBackAndDoesNotTouchThePod() throws IOException {
        write("nginx:1");
        String container = node.status("web-node-1").getContainerID();
        for (Long grace : new Long[]{null, 0L}) {
            String before = uid();

            node.delete("web-node-1", grace);
            node.pass(Duration.ofSeconds(2));

            assertThat(uid()).isNotEqualTo(before);
            assertThat(node.phase("web-node-1")).isEqualTo("Running");
            assertThat(node.status("web-node-1").getContainerID()).isEqualTo(container);
            assertThat(node.status("web-node-1").getRestartCount()).isZero();
        }
    }

    @Test
    void changingTheManifestGivesAMirrorWithANewUid() throws IOException {
        write("nginx:1");
        String before = uid();

        write("nginx:2");

        assertThat(uid()).isNotEqualTo(before);
        assertThat(node.status("web-node-1").getImage()).endsWith("nginx:2");
        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }

    @Test
    void aDefaultThatIsWrittenIntoTheManifestRestartsNothing() throws IOException {
        write("nginx:1");
        String before = uid();
        String container = node.status("web-node-1").getContainerID();

        Path file = directory.resolve("web.yaml");
        Files.writeString(file, Files.readString(file).replace("spec: {",
                "spec: {restartPolicy: Always, schedulerName: default-scheduler, hostNetwork: false, "));
        node.pass(A_WHILE);

        assertThat(uid()).isEqualTo(before);
        assertThat(node.status("web-node-1").getContainerID()).isEqualTo(container);
    }

    @Test
    void aPodWhoseLimitsExceedTheNodeIsRejectedBecauseItsRequestsFollowFromThem() throws IOException {
        Files.writeString(directory.resolve("big.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: big}
                spec: {containers: [{name: c, image: nginx, resources: {limits: {cpu: 100}}}]}
                """);
        write("nginx:1");

        assertThat(node.exists("big-node-1")).isFalse();
        assertThat(node.events).anyMatch(event -> event.startsWith("Warning UnexpectedAdmissionError: ")
                && event.endsWith("no set of running pods found to reclaim resources: [(res: cpu, q: 96000), ]"));
        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }

    @Test
    void twoPodsOfOneNameNeverRunAtOnce() throws IOException {
        write("nginx:1", "stop-delay: 10s");
        String before = node.status("web-node-1").getContainerID();

        Files.writeString(directory.resolve("web.yaml"),
                Files.readString(directory.resolve("web.yaml")).replace("nginx:1",
                        "nginx:2"));
        node.pass(Duration.ofSeconds(9));
        assertThat(node.status("web-node-1").getContainerID()).as("the old one still stops").isEqualTo(before);
        node.pass(Duration.ofSeconds(30));

        assertThat(node.status("web-node-1").getContainerID()).isNotEqualTo(before);
        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }

    @Test
    void removingTheFileRemovesPodAndMirrorAndPuttingItBackStartsItAgain() throws IOException {
        write("nginx:1");
        String container = node.status("web-node-1").getContainerID();

        Files.delete(directory.resolve("web.yaml"));
        node.pass(A_WHILE);
        assertThat(node.exists("web-node-1")).isFalse();

        write("nginx:1");
        assertThat(node.phase("web-node-1")).isEqualTo("Running");
        assertThat(node.status("web-node-1").getContainerID()).isNotEqualTo(container);
    }

    @Test
    void aFileThatIsPutBackWhileItsPodStopsStartsAgain() throws IOException {
        write("nginx:1", "stop-delay: 25s");
        String text = Files.readString(directory.resolve("web.yaml"));
        String container = node.status("web-node-1").getContainerID();

        Files.delete(directory.resolve("web.yaml"));
        node.pass(Duration.ofSeconds(21));
        Files.writeString(directory.resolve("web.yaml"), text);
        node.pass(Duration.ofSeconds(60));

        assertThat(node.phase("web-node-1")).isEqualTo("Running");
        assertThat(node.status("web-node-1").getContainerID()).isNotEqualTo(container);
    }

    @Test
    void aCrashedContainerOfAStaticPodRestarts() throws IOException {
        write("nginx:1", "run-for: 15s");

        assertThat(node.status("web-node-1").getRestartCount()).isEqualTo(1);
    }

    @Test
    void editingTheMirrorDoesNotTouchThePod() throws IOException {
        write("nginx:1");
        String container = node.status("web-node-1").getContainerID();

        node.pods.patch(ObjectKey.of("default", "web-node-1"), "", PatchType.MERGE,
                "{\"metadata\":{\"labels\":{\"x\":\"y\"}},\"spec\":{\"activeDeadlineSeconds\":1}}");
        node.pass(A_WHILE);

        assertThat(node.status("web-node-1").getContainerID()).isEqualTo(container);
        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }

    @Test
    void aRestartOfTheProcessChangesNoContainer() throws IOException {
        write("nginx:1");
        V1Pod before = mirror();

        node.agent.close();
        node.agent = node.start(options());
        node.pass(A_WHILE);

        assertThat(mirror().getStatus()).isEqualTo(before.getStatus());
        assertThat(uid()).isEqualTo(before.getMetadata().getUid());
    }

    @Test
    void aMirrorWhoseFileWentWhileTheProcessWasDownIsDeleted() throws IOException {
        write("nginx:1");
        node.agent.close();
        Files.delete(directory.resolve("web.yaml"));

        node.agent = node.start(options());
        node.pass(Duration.ofMinutes(2));

        assertThat(node.exists("web-node-1")).isFalse();
    }

    @Test
    void aBrokenManifestKeepsThePodAndSaysWhy() throws IOException {
        write("nginx:1");
        String container = node.status("web-node-1").getContainerID();

        Files.writeString(directory.resolve("web.yaml"), "apiVersion: v1\nkind: [");
        node.pass(A_WHILE);

        assertThat(node.phase("web-node-1")).isEqualTo("Running");
        assertThat(node.status("web-node-1").getContainerID()).isEqualTo(container);
        assertThat(node.agent.refusals()).singleElement().asString().contains("web.yaml line 2");
        assertThat(node.events)
                .anyMatch(e -> e.startsWith("Warning FailedValidation") && e.contains("web.yaml line 2"));
    }

    @Test
    void staticPodsRunWhileTheApiServerIsAwayAndShowWhenItIsBack() throws IOException {
        node.isolate();
        write("nginx:1");
        assertThat(node.events).anyMatch(e -> e.startsWith("Normal Started"));

        node.cluster.requests.noFault();
        node.pass(Duration.ofMinutes(2));

        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }

    @Test
    void theNodesDeletionMakesNoDifferenceToThePod() throws IOException {
        write("nginx:1");
        node.cluster.user().resource(ResourceType.NODES, io.kubernetes.client.openapi.models.V1Node.class).delete(
                ObjectKey.cluster("node-1"), dev.wheelhouse.client.Deletion.unconditional());
        node.pass(Duration.ofSeconds(30));

        assertThat(node.phase("web-node-1")).isEqualTo("Running");
    }
    @Test
    void theStaticPodsOfAControlPlaneRunAndShowTheirMirrors() throws IOException {
        List<String> names = List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
        for (String name : names) {
            try (InputStream manifest = getClass().getResourceAsStream("/static-pods/" + name + ".yaml")) {
                Files.copy(Objects.requireNonNull(manifest), directory.resolve(name + ".yaml"));
            }
        }
        node.pass(A_WHILE);
        assertThat(node.agent.refusals()).isEmpty();
        for (String name : names) {
            V1Pod mirror = node.pods.get(ObjectKey.of("kube-system", name + "-node-1"));
            assertThat(PodSources.isMirror(mirror)).isTrue();
            assertThat(mirror.getSpec().getPriority()).isEqualTo(2_000_001_000);
            assertThat(mirror.getSpec().getHostNetwork()).isTrue();
            assertThat(mirror.getStatus().getPhase()).isEqualTo("Running");
            assertThat(mirror.getStatus().getPodIP()).isEqualTo(mirror.getStatus().getHostIP());
        }
    }
}
