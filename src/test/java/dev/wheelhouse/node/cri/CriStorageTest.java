package dev.wheelhouse.node.cri;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.testing.Eventually;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Volumes, images and the disk of a node on a containerd of the test's own. */
@Timeout(300)
@Tag("processes")
@Tag("full")
class CriStorageTest {
    @TempDir
    static Path home;

    private static @Nullable RealNode node;
    private static Path host;

    @BeforeAll
    static void start() throws IOException {
        node = new RealNode(home);
        host = Files.createDirectories(home.resolve("host"));
        Files.writeString(Files.createDirectories(host.resolve("volume/real/deep")).resolve("x"), "inside");
        Files.writeString(Files.createDirectories(host.resolve("outside")).resolve("x"), "outside");
        Files.createSymbolicLink(host.resolve("volume/in"), Path.of("real/deep"));
        Files.createSymbolicLink(host.resolve("volume/out"), Path.of("../outside"));
        Files.createSymbolicLink(host.resolve("volume/etc"), Path.of("/etc"));
        Files.createSymbolicLink(host.resolve("volume/nothing"), Path.of("none"));
        node.server.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).create(Yaml.read(
                "{metadata: {namespace: default, name: cm}, data: {greeting: hello}}", V1ConfigMap.class));
    }

    @AfterAll
    static void stop() throws Exception {
        if (node != null) {
            node.close();
        }
    }

    private static String hostPath(String mount, String environment, String script) {
        return """
                restartPolicy: Never, volumes: [{name: v, hostPath: {path: '%s'}}], containers: [{name: c,
                  env: [{name: UP, value: '..'}, {name: SUB, value: real}%s], command: [sh, -c, '%s'],
                  volumeMounts: [{name: v, mountPath: /v, %s}]}]""".formatted(host.resolve("volume"), environment,
                script, mount);
    }

    static List<Arguments> parts() {
        String show = "cat /v/x >/dev/termination-log";
        return List.of(
                arguments("a directory", "subPath: real/deep", show, "Succeeded c=0 Completed inside"),
                arguments("a file", "subPath: real/deep/x", "cat /v >/dev/termination-log",
                        "Succeeded c=0 Completed inside"),
                arguments("a link inside", "subPath: in", show, "Succeeded c=0 Completed inside"),
                arguments("an expression", "subPathExpr: $(SUB)/deep", show, "Succeeded c=0 Completed inside"),
                arguments("nothing yet", "subPath: made/for/me", "stat -c %a /v >/dev/termination-log; echo 1 >/v/y",
                        "Succeeded c=0 Completed 755"),
                arguments("a link outside", "subPath: out", show, "failed to prepare subPath for volumeMount"),
                arguments("an absolute link", "subPath: etc", show, "failed to prepare subPath for volumeMount"),
                arguments("a link outside and on", "subPath: out/new", show,
                        "failed to prepare subPath for volumeMount"),
                arguments("a broken link", "subPath: nothing", show, "failed to prepare subPath for volumeMount"),
                arguments("a way up", "subPathExpr: $(UP)/outside", show,
                        "unable to provision SubPath `../outside`: must not contain '..'"),
                arguments("a variable without a value", "subPathExpr: a/$(NONE)", show, "missing value for NONE"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("parts")
    void aSubPathShowsAPartOfTheVolumeAndNothingElse(String what, String mount, String script, String expected)
            throws IOException {
        String name = what.replace(' ', '-');
        node.create(name, hostPath(mount, "", script));
        if (expected.startsWith("Succeeded")) {
            node.becomes(name, expected);
        } else {
            node.becomes(name, "Pending c=CreateContainerConfigError");
            assertThat(node.pods.get(RealNode.key(name)).getStatus().getContainerStatuses().get(0).getState()
                    .getWaiting().getMessage()).startsWith(expected);
        }
        node.delete(name);
        assertThat(host.resolve("outside")).isDirectoryNotContaining("glob:**new*");
        assertThat(host.resolve("volume/real/deep/x")).hasContent("inside");
        if (what.equals("nothing yet")) {
            assertThat(host.resolve("volume/made/for/me/y")).hasContent("1");
        }
    }

    /** A container changes a link while the mount is made. */
    @Test
    void aPathThatChangesMeanwhileIsRefusedOrStaysInside() throws Exception {
        Path volume = Files.createDirectories(host.resolve("racing"));
        Files.writeString(Files.createDirectories(volume.resolve("inside")).resolve("x"), "inside");
        AtomicBoolean over = new AtomicBoolean();
        Thread swapping = Thread.ofPlatform().start(() -> {
            for (int i = 0; !over.get(); i++) {
                try {
                    Files.deleteIfExists(volume.resolve("next"));
                    Files.createSymbolicLink(volume.resolve("next"), Path.of(i % 2 == 0 ? "inside" : "../outside"));
                    Files.move(volume.resolve("next"), volume.resolve("a"), StandardCopyOption.ATOMIC_MOVE,
                            StandardCopyOption.REPLACE_EXISTING);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        Eventually.eventually("the link is there", RealNode.LONG, () -> Files.exists(volume.resolve("a")));
        Path target = home.resolve("lib/real/racing/0");
        int inside = 0;
        try {
            for (int i = 0; i < 60; i++) {
                try {
                    Mounts.bind(volume, Path.of(i % 2 == 0 ? "a" : "a/new" + i), target);
                } catch (IOException e) {
                    continue;
                }
                inside++;
                if (i % 2 == 0) {
                    assertThat(target.resolve("x")).hasContent("inside");
                }
            }
        } finally {
            over.set(true);
            swapping.join();
            PodFiles.unmount(target);
        }
        assertThat(inside).isPositive();
        try (var outside = Files.list(host.resolve("outside"))) {
            assertThat(outside).containsExactly(host.resolve("outside/x"));
        }
    }

    @Test
    void aFileOfAConfigMapIsMountedAlone() {
        node.create("alone", """
                restartPolicy: Never, volumes: [{name: m, configMap: {name: cm}}], containers: [{name: c,
                  command: [sh, -c, 'cat /etc/app.conf >/dev/termination-log; touch /etc/app.conf'],
                  volumeMounts: [{name: m, mountPath: /etc/app.conf, subPath: greeting}]}]""");
        node.becomes("alone", "Failed c=1 Error hello");
        node.delete("alone");
    }

    @Test
    void variablesComeFromAFileThatAnInitContainerHasWritten() {
        node.create("variables", """
                restartPolicy: Never, volumes: [{name: v, emptyDir: {}}], initContainers: [{name: i,
                  command: [sh, -c, "echo \\"GREETING='hello'\\" >/v/file; ln -s /etc/hostname /v/out"],
                  volumeMounts: [{name: v, mountPath: /v}]}], containers: [{name: c, env: [
                  {name: A, valueFrom: {fileKeyRef: {volumeName: v, path: file, key: GREETING}}},
                  {name: B, valueFrom: {fileKeyRef: {volumeName: v, path: file, key: NONE, optional: true}}}],
                  command: [sh, -c, 'echo $A${B-unset} >/dev/termination-log']}, {name: d, env: [
                  {name: A, valueFrom: {fileKeyRef: {volumeName: v, path: out, key: A, optional: true}}}]}]""");
        node.becomes("variables",
                "Pending i=0 Completed c=0 Completed hellounset d=CreateContainerConfigError|"
                        + "Running i=0 Completed c=0 Completed hellounset d=CreateContainerConfigError");
        node.delete("variables");
    }

    @Test
    void aProfileOfSeccompFromAFileForbidsWhatItNames() throws IOException {
        Files.writeString(Files.createDirectories(home.resolve("lib/seccomp_profiles")).resolve("no-chmod.json"), """
                {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
                  {"names": ["chmod", "fchmod", "fchmodat", "fchmodat2"], "action": "SCMP_ACT_ERRNO"}]}""");
        node.create("profile", """
                restartPolicy: Never, securityContext: {seccompProfile: {type: Localhost,
                  localhostProfile: no-chmod.json}}, containers: [{name: c,
                  command: [sh, -c, 'touch /x && ! chmod 700 /x && echo no >/dev/termination-log']}]""");
        node.becomes("profile", "Succeeded c=0 Completed no");
        node.delete("profile");
    }

    private static ResourceClient<V1PersistentVolumeClaim> claims() {
        return node.server.client().resource(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
    }

    private static V1PersistentVolumeClaim claim(String name, String mode, String volume) {
        return claims().create(Yaml.read("{metadata: {namespace: default, name: " + name + "}, spec: {accessModes: ["
                + mode + "], volumeName: " + volume + ", storageClassName: '', resources: {requests: {storage: 1Gi}}}}",
                V1PersistentVolumeClaim.class));
    }

    /** Makes a volume for a claim, as the binder and the provisioner do. */
    private static void bind(V1PersistentVolumeClaim claim, String source) {
        node.server.client().resource(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class).create(Yaml.read(
                "{metadata: {name: " + claim.getSpec().getVolumeName() + "}, spec: {capacity: {storage: 1Gi}, "
                        + "accessModes: " + claim.getSpec().getAccessModes() + ", claimRef: {namespace: default, name: "
                        + claim.getMetadata().getName() + ", uid: " + claim.getMetadata().getUid() + "}, " + source
                        + "}}",
                V1PersistentVolume.class));
        claims().patch(ObjectKey.of(claim), "status", PatchType.MERGE, "{\"status\": {\"phase\": \"Bound\"}}");
    }

    private static String claiming(String claim, String script) {
        return """
                restartPolicy: Never, securityContext: {runAsUser: 1000, fsGroup: 2000}, containers: [{name: c,
                  command: [sh, -c, '%s'], volumeMounts: [{name: d, mountPath: /d}]}],
                  volumes: [{name: d, persistentVolumeClaim: {claimName: %s}}]""".formatted(script, claim);
    }

    @Test
    void theVolumeOfAClaimOutlivesItsPods() {
        V1PersistentVolumeClaim claim = claim("data", "ReadWriteOnce", "pvc-data");
        node.create("writes", claiming("data", "id -g; stat -c %a-%g /d >/d/x"));
        Eventually.eventually("the Event of writes", RealNode.LONG, () -> node.events("writes").toString()
                .contains("FailedMount Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[],"
                        + " failed to process volumes=[d]: error processing PVC default/data: PVC is not bound"));
        bind(claim, "csi: {driver: hollow.wheelhouse.dev, volumeHandle: pvc-data}");
        // A change of the pod is a reason to look at once.
        node.pods.patch(RealNode.key("writes"), "", PatchType.MERGE, "{\"metadata\": {\"labels\": {\"a\": \"b\"}}}");
        node.becomes("writes", "Succeeded c=0 Completed");
        node.delete("writes");
        node.create("reads", claiming("data, readOnly: true", "cat /d/x >/dev/termination-log; ! touch /d/y"));
        node.becomes("reads", "Succeeded c=0 Completed 2777-2000");
        node.delete("reads");
        assertThat(home.resolve("lib/persistent_volumes/pvc-data/x")).hasContent("2777-2000");
    }

    @Test
    void theContentsOfALocalVolumeStay() throws IOException {
        Path local = Files.createDirectories(host.resolve("local"));
        bind(claim("here", "ReadWriteOnce", "local-1"), """
                local: {path: '%s'}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
                  {key: kubernetes.io/hostname, operator: In, values: [real]}]}]}}""".formatted(local));
        node.create("stores", claiming("here", "echo 1 >/d/x"));
        node.becomes("stores", "Succeeded c=0 Completed");
        node.delete("stores");
        assertThat(local.resolve("x")).hasContent("1");
    }

    @Test
    void aVolumeOfAnotherKindIsNamed() {
        bind(claim("shared", "ReadWriteMany", "nfs-1"), "nfs: {server: a.example, path: /}");
        node.create("far", claiming("shared", "true"));
        Eventually.eventually("the Event of far", RealNode.LONG, () -> node.events("far").toString()
                .contains("this node cannot show the volume nfs-1: it knows local, hostPath, and the volumes of the"));
        node.delete("far");
    }

    @Test
    void aPodThatFillsItsVolumeIsEvicted() {
        node.create("greedy", """
                containers: [{name: c, command: [sh, -c, 'cat /bin/busybox >/d/x; while true; do sleep 1; done'],
                  volumeMounts: [{name: d, mountPath: /d}]}], volumes: [{name: d, emptyDir: {sizeLimit: 1Mi}}]""");
        node.becomes("greedy", "Failed c=137 Error");
        V1Pod pod = node.pods.get(RealNode.key("greedy"));
        assertThat(pod.getStatus().getReason()).isEqualTo("Evicted");
        assertThat(pod.getStatus().getMessage())
                .isEqualTo("Usage of EmptyDir volume \"d\" exceeds the limit \"1Mi\". ");
        assertThat(node.events("greedy")).contains(
                "greedy Evicted Usage of EmptyDir volume \"d\" exceeds the limit \"1Mi\". ");
        node.delete("greedy");
    }

    @Test
    void thePasswordOfARegistryComesFromASecret() throws Exception {
        Process registry = new ProcessBuilder("nsenter", "--net=" + home.resolve("netns"),
                Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
                System.getProperty("java.class.path"), "-XX:TieredStopAtLevel=1", PrivateRegistry.class.getName(),
                home.resolve("oci").toString()).redirectErrorStream(true).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(registry.getInputStream(),
                StandardCharsets.UTF_8))) {
            String host = "127.0.0.1:" + out.readLine();
            String image = host + "/team/app:1";
            String auth = Base64.getEncoder().encodeToString(
                    (PrivateRegistry.USER + ":" + PrivateRegistry.PASSWORD).getBytes(StandardCharsets.UTF_8));
            node.server.client().resource(ResourceType.SECRETS, V1Secret.class).create(Yaml.read("""
                    {metadata: {namespace: default, name: pull}, type: kubernetes.io/dockerconfigjson, stringData:
                      {.dockerconfigjson: '{"auths": {"%s/team": {"username": "me", "password": "wrong"},
                        "%s": {"auth": "%s"}}}'}}""".formatted(host, host, auth), V1Secret.class));
            node.create("shut", "containers: [{name: c, image: '" + image + "'}]");
            node.becomes("shut", "Pending c=(ErrImagePull|ImagePullBackOff)");
            node.delete("shut");
            node.create("opened", "imagePullSecrets: [{name: gone}, {name: pull}], containers: [{name: c, image: '"
                    + image + "'}]");
            node.becomes("opened", "Running c=ready");
            assertThat(node.events("opened")).contains("opened FailedToRetrieveImagePullSecret Unable to retrieve some "
                    + "image pull secrets (gone); attempting to pull the image may not succeed.");
            node.delete("opened");
            Eventually.eventually("the Node shows the image", RealNode.LONG, () -> node.server.client()
                    .resource(ResourceType.NODES, V1Node.class).get(ObjectKey.cluster("real")).getStatus().getImages()
                    .toString().contains(PrivateContainerd.IMAGE));
        } finally {
            registry.destroyForcibly();
        }
    }
}
