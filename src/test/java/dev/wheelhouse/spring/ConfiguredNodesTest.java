package dev.wheelhouse.spring;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import io.kubernetes.client.openapi.models.V1Taint;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.node.NodeRuntime;
import dev.wheelhouse.node.PodEventRecorder;
import dev.wheelhouse.node.PodRuntime;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The nodes that run, by the options. */
class ConfiguredNodesTest {
    @TempDir
    Path directory;

    private List<NodeAgentOptions> nodes(boolean embedded, String... options) {
        Map<String, String> map = new LinkedHashMap<>();
        for (String option : options) {
            map.put("wheelhouse." + option.substring(0, option.indexOf('=')),
                    option.substring(option.indexOf('=') + 1));
        }
        WheelhouseProperties properties = new Binder(new MapConfigurationPropertySource(map))
                .bindOrCreate("wheelhouse", WheelhouseProperties.class);
        return ConfiguredNodes.of(properties, embedded, directory, "host-7");
    }

    private static List<String> names(List<NodeAgentOptions> nodes) {
        return nodes.stream().map(NodeAgentOptions::name).toList();
    }

    @Test
    void thereAreTwoHollowNodesOnTheEmbeddedApiServerAndNoneElsewhere() {
        assertThat(names(nodes(true))).containsExactly("node-1", "node-2");
        assertThat(nodes(false)).isEmpty();
    }

    @Test
    void aNodeWithoutARuntimeStaysHollowAndAnAddressThatIsNoneIsRefused() {
        assertThat(nodes(true, "node.runtime=unix://" + directory.resolve("none.sock")).getLast()).satisfies(node -> {
            assertThat(node.name()).isEqualTo("host-7");
            assertThat(node.runtime()).isNull();
        });
        for (String address : List.of("containerd", "unix://relative.sock", "/run/containerd/containerd.sock")) {
            assertThatThrownBy(() -> nodes(true, "node.runtime=" + address)).hasMessageContaining(
                    "wheelhouse.node.runtime is \"" + address + "\": write hollow, or the socket");
        }
    }

    /** No containerd runs in this directory, so all of them stay hollow. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"|host-7", "nodes.real=3|host-7,host-7-2,host-7-3",
            "nodes.real=2,node.name=big|big,big-2", "nodes.real=1,nodes.count=2|node-1,node-2,host-7"})
    void nodesThatRunContainersAreNamedAfterTheMachineAndReplaceTheHollowOnesUnlessThoseAreAskedFor(String options,
            String names) {
        List<String> all = new ArrayList<>(List.of("node.runtime=unix://" + directory.resolve("none.sock")));
        all.addAll(options == null ? List.of() : List.of(options.split(",")));

        assertThat(names(nodes(true, all.toArray(String[]::new)))).containsExactly(names.split(","));
    }

    @Test
    void eachRuntimeHasANode() {
        assertThat(names(nodes(true, "node.runtime=unix://" + directory + "/a,unix://" + directory + "/b")))
                .containsExactly("host-7", "host-7-2");
    }

    @Test
    void nodesThatRunContainersHaveATaintBesideHollowOnesOnly() {
        NodeAgentOptions hollow = NodeAgentOptions.hollow("hollow", 0);
        NodeAgentOptions real = NodeAgentOptions.hollow("real", 1)
                .withTaints(List.of(new V1Taint().key("own").effect("NoExecute")))
                .withRuntime(NO_RUNTIME, "192.0.2.1", Map.of());

        assertThat(ConfiguredNodes.toldApart(List.of(hollow, real))).extracting(ConfiguredNodesTest::taints)
                .containsExactly("", "own=null:NoExecute wheelhouse.dev/real=true:NoSchedule");
        assertThat(ConfiguredNodes.toldApart(List.of(real, real))).extracting(ConfiguredNodesTest::taints)
                .containsOnly("own=null:NoExecute");
        assertThat(ConfiguredNodes.toldApart(List.of(hollow, hollow))).extracting(ConfiguredNodesTest::taints)
                .containsOnly("");
    }

    private static String taints(NodeAgentOptions node) {
        return node.taints().stream().map(each -> each.getKey() + "=" + each.getValue() + ":" + each.getEffect())
                .collect(Collectors.joining(" "));
    }

    private static final NodeRuntime NO_RUNTIME = new NodeRuntime() {
        @Override
        public String version() {
            return "none";
        }

        @Override
        public PodRuntime open(NodeAgentOptions node, KubeClient client, KubeClient process, PodEventRecorder events,
                Clock clock) {
            throw new UnsupportedOperationException();
        }
    };

    @Test
    void withoutAnApiServerSomeNodeNeedsManifests() {
        assertThatThrownBy(() -> ConfiguredNodes.requireManifests(nodes(false))).isInstanceOf(BadOption.class)
                .hasMessageContaining("wheelhouse.mode is none, but no manifests are named");
        ConfiguredNodes.requireManifests(nodes(false, "node.manifest-directory=pods"));
        ConfiguredNodes.requireManifests(nodes(false, "node.manifest-url=http://example.com/pods"));
    }

    @Test
    void manifestsBesideTheWorkingDirectoryAreWatchedByTheFirstHollowNodeIfTheyAreThere() throws IOException {
        assertThat(nodes(true).get(0).manifestPath()).isNull();
        Path manifests = Files.createDirectory(directory.resolve("manifests"));

        assertThat(nodes(true)).extracting(NodeAgentOptions::manifestPath).containsExactly(manifests, null);
        assertThat(nodes(true, "node.labels=a=b").get(0).manifestPath()).isEqualTo(manifests);
        assertThat(nodes(true, "node.manifest-directory=other").get(0).manifestPath()).isEqualTo(Path.of("other"));
        assertThat(nodes(false, "node.name=mine").get(0).manifestPath()).isNull();
    }

    @Test
    void aNamedNodeIsOneMoreAndHasAddressesOfItsOwn() {
        List<NodeAgentOptions> nodes = nodes(true, "node.name=mine");

        assertThat(names(nodes)).containsExactly("node-1", "node-2", "mine");
        assertThat(nodes).extracting(NodeAgentOptions::podCidr).doesNotHaveDuplicates();
        assertThat(nodes).extracting(NodeAgentOptions::hostIp).doesNotHaveDuplicates();
        assertThat(names(nodes(false, "node.name=mine"))).containsExactly("mine");
        assertThat(names(nodes(false, "node.manifest-directory=m"))).as("without a name").containsExactly("host-7");
    }

    @Test
    void theOptionsOfANodeAreItsOwn() {
        NodeAgentOptions node = nodes(true, "node.name=mine", "node.manifest-directory=pods",
                "node.manifest-url=http://example.com/pods", "node.manifest-url-headers=X-A:1,X-B: 2:3",
                "node.file-check-period=5s", "node.http-check-period=1m30s", "node.capacity=cpu=16,example.com/gpu=2",
                "node.labels=zone=a,example.com/x=y=z", "node.taints=dedicated=db:NoSchedule,gone:NoExecute").get(2);

        assertThat(node.manifestPath()).isEqualTo(Path.of("pods"));
        assertThat(node.fileCheckPeriod()).isEqualTo(Duration.ofSeconds(5));
        assertThat(Objects.requireNonNull(node.manifestUrl()).url()).isEqualTo(URI.create("http://example.com/pods"));
        assertThat(node.manifestUrl().headers()).isEqualTo(Map.of("X-A", List.of("1"), "X-B", List.of("2:3")));
        assertThat(node.manifestUrl().period()).isEqualTo(Duration.ofSeconds(90));
        assertThat(node.capacity()).containsEntry("cpu", "16").containsEntry("memory", "8Gi")
                .containsEntry("example.com/gpu", "2").containsEntry("pods", "110");
        assertThat(node.labels()).isEqualTo(Map.of("zone", "a", "example.com/x", "y=z"));
        assertThat(node.taints()).containsExactly(
                new V1Taint().key("dedicated").value("db").effect("NoSchedule"),
                new V1Taint().key("gone").effect("NoExecute"));
    }

    @Test
    void aKubeletConfigurationSaysTheSameAndOptionsWinOverIt() throws IOException {
        Path config = Files.writeString(directory.resolve("kubelet.yaml"), """
                apiVersion: kubelet.config.k8s.io/v1beta1
                kind: KubeletConfiguration
                staticPodPath: /etc/kubernetes/manifests
                staticPodURL: https://example.com/pods
                staticPodURLHeader: {X-A: ["1"]}
                fileCheckFrequency: 7s
                httpCheckFrequency: 8s
                """);

        NodeAgentOptions node = nodes(false, "node.config=" + config, "node.http-check-period=9s").get(0);

        assertThat(node.manifestPath()).isEqualTo(Path.of("/etc/kubernetes/manifests"));
        assertThat(node.fileCheckPeriod()).isEqualTo(Duration.ofSeconds(7));
        assertThat(Objects.requireNonNull(node.manifestUrl()).period()).isEqualTo(Duration.ofSeconds(9));
        assertThat(node.manifestUrl().headers()).isEqualTo(Map.of("X-A", List.of("1")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"node.name=Not_A_Name|wheelhouse.node.name: node name \"Not_A_Name\"",
            "node.labels=plain|wheelhouse.node.labels is \"plain\": it must be key=value",
            "node.taints=a=b|wheelhouse.node.taints is \"a=b\": it must be key=value:Effect",
            "node.taints=a:Never|wheelhouse.node.taints is \"a:Never\"",
            "node.capacity=cpu=lots|wheelhouse.node.capacity is \"cpu=lots\": it must be a quantity",
            "node.manifest-url=example.com|wheelhouse.node.manifest-url: manifest URL \"example.com\": write an "
                    + "absolute",
            "node.manifest-url-headers=A:b|wheelhouse.node.manifest-url-headers is set without",
            "node.file-check-period=20|wheelhouse.node.file-check-period is \"20\": it must be a duration",
            "node.config=no/such/file|wheelhouse.node.config: no/such/file cannot be read: there is no such file"})
    void aBadValueIsRefusedWithOptionAndRemedy(String option, String message) {
        assertThatThrownBy(() -> nodes(true, option)).isInstanceOf(BadOption.class).hasMessageContaining(message);
    }

    @Test
    void aHeaderThatCannotBeSentIsRefusedWithoutItsValue() {
        assertThatThrownBy(() -> nodes(true, "node.manifest-url=http://x/y", "node.manifest-url-headers=Host:secret"))
                .hasMessageContaining("\"Host\"").hasMessageNotContaining("secret");
    }

    @Test
    void aHeaderAndAUrlThatAreMalformedAreRefusedWithoutTheSecretsInThem() {
        assertThatThrownBy(() -> nodes(true, "node.manifest-url=http://x/y", "node.manifest-url-headers=secret"))
                .hasMessageContaining("has an entry without a colon").hasMessageNotContaining("secret");
        for (String url : List.of("http://user:secret@[x/y", "http://user:secret@/y",
                "ftp://user:secret@x/y?k=secret")) {
            assertThatThrownBy(() -> nodes(true, "node.manifest-url=" + url)).isInstanceOf(BadOption.class)
                    .hasMessageContaining("wheelhouse.node.manifest-url").hasMessageNotContaining("secret");
        }
    }
}
