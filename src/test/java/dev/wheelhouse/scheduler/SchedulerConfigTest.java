package dev.wheelhouse.scheduler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SchedulerConfigTest {
    @Test
    void withoutAFileThereIsOneProfileWithUpstreamsPluginsAndWeights() {
        assertThat(SchedulerConfig.DEFAULT.profiles()).containsOnlyKeys("default-scheduler");
        Profile profile = ProfileTexts.DEFAULT;
        assertThat(profile.weights()).containsEntry(Plugin.TAINT_TOLERATION, 3)
                .containsEntry(Plugin.NODE_AFFINITY, 2).containsEntry(Plugin.INTER_POD_AFFINITY, 2)
                .containsEntry(Plugin.POD_TOPOLOGY_SPREAD, 2).containsEntry(Plugin.IMAGE_LOCALITY, 1)
                .containsEntry(Plugin.NODE_RESOURCES_FIT, 1)
                .containsEntry(Plugin.NODE_RESOURCES_BALANCED_ALLOCATION, 1);
        assertThat(profile.filters()).hasSize(12);
        assertThat(profile.gated()).isTrue();
        assertThat(profile.preempts()).isTrue();
        assertThat(profile.args().preemption()).isEqualTo(new Profile.Preemption(10, 100));
        assertThat(SchedulerConfig.DEFAULT.maxBackoff()).isEqualTo(Duration.ofSeconds(10));
    }

    /** The nodes that are enough, by upstream's rule: 50 % less 1 % for each 125 nodes, at least 5 % and 100 nodes. */
    @ParameterizedTest
    @CsvSource({"0, 50, 50", "0, 99, 99", "0, 100, 100", "0, 1000, 420", "0, 5000, 500", "0, 6000, 300",
            "70, 1000, 700",
            "100, 1000, 1000", "5, 1000, 100"})
    void aShareOfManyNodesIsEnough(int percentage, int nodes, int enough) {
        assertThat(ProfileTexts.profile("percentageOfNodesToScore: " + percentage).enough(nodes)).isEqualTo(enough);
    }

    @Test
    void aProfileMayEnableDisableAndWeighPlugins() {
        Profile profile = ProfileTexts.profile("""
                schedulerName: packed, plugins: {multiPoint: {disabled: [{name: ImageLocality}],
                enabled: [{name: TaintToleration, weight: 7}]},
                score: {disabled: [{name: PodTopologySpread}], enabled: [{name: NodeResourcesFit, weight: 5}]},
                postFilter: {disabled: [{name: '*'}]}, preEnqueue: {disabled: [{name: SchedulingGates}]}}""");
        assertThat(profile.name()).isEqualTo("packed");
        assertThat(profile.weight(Plugin.IMAGE_LOCALITY)).isZero();
        assertThat(profile.weight(Plugin.TAINT_TOLERATION)).isEqualTo(7);
        assertThat(profile.weight(Plugin.POD_TOPOLOGY_SPREAD)).isZero();
        assertThat(profile.filters(Plugin.POD_TOPOLOGY_SPREAD)).isTrue();
        assertThat(profile.weight(Plugin.NODE_RESOURCES_FIT)).isEqualTo(5);
        assertThat(profile.preempts()).isFalse();
        assertThat(profile.gated()).isFalse();
    }

    @Test
    void allPluginsOfAPointMayBeReplaced() {
        Profile profile = ProfileTexts.profile(
                "plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality}]}}");
        assertThat(profile.weights()).containsOnlyKeys(Plugin.IMAGE_LOCALITY);
        assertThat(profile.filters()).hasSize(12);
    }

    @Test
    void otherFieldsOfUpstreamAreAccepted() {
        SchedulerConfig config = ProfileTexts.config("""
                leaderElection: {leaderElect: true, leaseDuration: 15s, renewDeadline: 10s, retryPeriod: 2s,
                  resourceLock: leases, resourceName: kube-scheduler, resourceNamespace: kube-system}
                clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 50.5, burst: 100}
                enableProfiling: true
                parallelism: 8
                podInitialBackoffSeconds: 2
                podMaxBackoffSeconds: 20
                profiles:
                - {}
                - {schedulerName: other, pluginConfig: [{name: InterPodAffinity, args: {
                    apiVersion: kubescheduler.config.k8s.io/v1, kind: InterPodAffinityArgs, hardPodAffinityWeight: 5}}]}
                """);
        assertThat(config.initialBackoff()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.profiles()).containsOnlyKeys("default-scheduler", "other");
        assertThat(config.profiles().get("other").args().affinity().hardPodAffinityWeight()).isEqualTo(5);
        assertThat(config.takes(Yaml.read("{spec: {schedulerName: other}, metadata: {}}", V1Pod.class))).isTrue();
        assertThat(config.takes(Yaml.read("{spec: {}, metadata: {}}", V1Pod.class))).isTrue();
        assertThat(config.takes(Yaml.read("{spec: {schedulerName: nobody}, metadata: {}}", V1Pod.class))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "parallelism: 0 | parallelism: Invalid value: 0: should be an integer value greater than zero",
            "percentageOfNodesToScore: 101 | percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
            "podInitialBackoffSeconds: 20 | podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to "
                    + "PodInitialBackoffSeconds",
            "profiles: [] | profiles: Required value",
            "profiles: [{schedulerName: ''}] | profiles[0].schedulerName: Required value",
            "profiles: [{}, {}] | profiles[1].schedulerName: Duplicate value: \"default-scheduler\"",
            "extenders: [{urlPrefix: http://x}] | extenders: Forbidden: this scheduler calls no extenders",
            "colour: red | strict decoding error: unknown field \"colour\"",
            "leaderElection: {colour: red} | strict decoding error: unknown field \"leaderElection.colour\"",
            "profiles: [{plugins: {filters: {}}}] | profiles[0].plugins: strict decoding error: unknown field "
                    + "\"profiles[0].plugins.filters\"",
            "profiles: [{plugins: {filter: {enabled: [{name: A}]}}}] | profiles[0].plugins.filter.enabled[0]: "
                    + "FilterPlugin \"A\" does not exist",
            "profiles: [{plugins: {multiPoint: {enabled: [{name: DynamicResources}]}}}] | "
                    + "profiles[0].plugins.multiPoint.enabled[0]: PreFilterPlugin \"DynamicResources\" does not exist",
            "profiles: [{plugins: {score: {enabled: [{name: NodePorts}]}}}] | profiles[0].plugins.score.enabled[0]: "
                    + "plugin \"NodePorts\" does not extend ScorePlugin plugin",
            "profiles: [{plugins: {bind: {disabled: [{name: '*'}]}}}] | profiles[0].plugins.bind: at least one bind "
                    + "plugin is needed for profile with scheduler name \"default-scheduler\"",
            "profiles: [{plugins: {reserve: {disabled: [{name: '*'}]}}}] | profiles[0].plugins.reserve: Invalid value: "
                    + "\"VolumeBinding\": it cannot be disabled without its filter"})
    void aFileThatCannotBeUsedIsRefused(String yaml, String message) {
        assertThatThrownBy(() -> ProfileTexts.config(yaml)).hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "InterPodAffinity | hardPodAffinityWeight: 101 | .hardPodAffinityWeight: Invalid value: 101: not in valid "
                    + "range [0, 100]",
            "DefaultPreemption | minCandidateNodesAbsolute: -1 | .minCandidateNodesAbsolute: Invalid value: -1: not in "
                    + "valid range [0, inf)",
            "NodeResourcesFit | scoringStrategy: {type: Best} | .scoringStrategy.type: Unsupported value: \"Best\": "
                    + "supported values: \"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"",
            "NodeResourcesFit | scoringStrategy: {type: RequestedToCapacityRatio} | "
                    + ".scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
                    + "RequestedToCapacityRatio",
            "NodeResourcesFit | ignoredResourceGroups: [a/b] | .ignoredResourceGroups[0]: Invalid value: \"a/b\": "
                    + "resource group name can't contain '/'",
            "NodeResourcesBalancedAllocation | resources: [{name: cpu, weight: 2}] | .resources[0].weight: Invalid "
                    + "value: 2: must be 1",
            "PodTopologySpread | defaultingType: All | .defaultingType: Unsupported value: \"All\": supported values: "
                    + "\"System\", \"List\"",
            "PodTopologySpread | defaultConstraints: [{topologyKey: z, maxSkew: 1, whenUnsatisfiable: ScheduleAnyway}] "
                    + "| .defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty",
            "VolumeBinding | bindTimeoutSeconds: -1 | .bindTimeoutSeconds: Invalid value: -1: invalid "
                    + "BindTimeoutSeconds, should not be a negative value"})
    void argumentsAreCheckedInUpstreamsWords(String plugin, String args, String message) {
        assertThatThrownBy(() -> ProfileTexts.profile("pluginConfig: [{name: " + plugin + ", args: {" + args + "}}]"))
                .hasMessage("profiles[0].pluginConfig[0].args" + message);
    }

    @Test
    void argumentsOfUnknownPluginsAndUnknownArgumentsAreRefused() {
        assertThatThrownBy(() -> ProfileTexts.profile("pluginConfig: [{name: Coscheduling, args: {}}]"))
                .hasMessage(
                        "profiles[0].pluginConfig[0]: Invalid value: \"Coscheduling\": this scheduler has no plugin "
                                + "of this name that takes arguments");
        assertThatThrownBy(() -> ProfileTexts.profile("pluginConfig: [{name: NodeAffinity, args: {addedAffinity: "
                + "{colour: red}}}]")).hasMessage("strict decoding error: unknown field "
                        + "\"profiles[0].pluginConfig[0].args.addedAffinity.colour\"");
    }

    @Test
    void aFileNamesItselfInItsRefusal(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("scheduler.yaml");
        assertThatThrownBy(() -> SchedulerConfig.read(file)).hasMessageStartingWith(" is " + file)
                .hasMessageContaining("NoSuchFile");
        Files.writeString(file, "apiVersion: v1\nkind: Pod\n");
        assertThatThrownBy(() -> SchedulerConfig.read(file)).hasMessage(" is " + file + ", which cannot be used: "
                + "apiVersion and kind must be kubescheduler.config.k8s.io/v1 and KubeSchedulerConfiguration");
        Files.writeString(file, "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
        assertThat(SchedulerConfig.read(file).profiles()).containsOnlyKeys("default-scheduler");
    }

    @Test
    void theFileOfThePageHasTwoProfiles() throws IOException {
        String page = Files.readString(Path.of("docs/nodes.md"));
        int begin = page.indexOf("apiVersion: kubescheduler");
        SchedulerConfig config = SchedulerConfig.of(page.substring(begin, page.indexOf("```", begin))
                .getBytes(StandardCharsets.UTF_8));
        assertThat(config.profiles()).containsOnlyKeys("default-scheduler", "packed");
        Profile packed = config.profiles().get("packed");
        assertThat(packed.weight(Plugin.NODE_RESOURCES_FIT)).isEqualTo(5);
        assertThat(packed.args().fit().scoringStrategy().type()).isEqualTo("MostAllocated");
    }
}
