package dev.wheelhouse.node.cri;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.node.cri.proto.Cri.ContainerConfig;
import dev.wheelhouse.node.cri.proto.Cri.DNSConfig;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.node.cri.proto.Cri.LinuxContainerResources;
import dev.wheelhouse.node.cri.proto.Cri.NamespaceMode;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.cri.proto.Cri.SecurityProfile;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConfigsTest {
    private static final List<String> RESOLV = List.of("# comment", "nameserver 10.0.0.1", "search a.example b.example",
            "options ndots:2");
    private static final String CLUSTER = "10.96.0.10";
    private static final long GIBI = 1L << 30;

    private static V1Pod pod(String spec) {
        return Yaml.read("{metadata: {namespace: default, name: web, uid: u-1}, spec: {" + spec + "}}", V1Pod.class);
    }

    private static ContainerConfig container(String fields) throws ConfigProblem {
        V1Pod pod = pod("containers: [{name: c, image: i, " + fields + "}]");
        return Configs.container(pod, pod.getSpec().getContainers().get(0), Image.getDefaultInstance(), "n", 2,
                new Environment(), List.of(), GIBI, Path.of("/profiles"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tty: true | Unconfined |",
            "securityContext: {seccompProfile: {type: Unconfined}} | Unconfined |",
            "securityContext: {seccompProfile: {type: RuntimeDefault}} | RuntimeDefault |",
            "securityContext: {seccompProfile: {type: Localhost, localhostProfile: a/b.json}} | Localhost "
                    + "| /profiles/a/b.json",
            "securityContext: {seccompProfile: {type: Localhost, localhostProfile: ../b.json}} | |",
            "securityContext: {seccompProfile: {type: Localhost}} | |"})
    void aProfileOfSeccompIsTheRuntimesOrAFileOfTheMachine(String fields, String type, String file)
            throws ConfigProblem {
        if (type == null) {
            assertThatThrownBy(() -> container(fields)).isInstanceOf(ConfigProblem.class);
            return;
        }
        SecurityProfile profile = container(fields).getLinux().getSecurityContext().getSeccomp();
        assertThat(profile.getProfileType()).hasToString(type);
        assertThat(profile.getLocalhostRef()).isEqualTo(file == null ? "" : file);
    }

    @Test
    void aSandboxHasKubeletsLabelsAndTheLabelOfItsNode() {
        PodSandboxConfig config = Configs.sandbox(pod("hostNetwork: true, hostIPC: true, shareProcessNamespace: true, "
                + "securityContext: {fsGroup: 7, supplementalGroups: [8], runAsGroup: 9, "
                + "sysctls: [{name: net/ipv4/conf/eth0.1/x, value: '1'}]}, containers: [{name: c}]"),
                "n",
                3, "/logs", RESOLV, null);
        assertThat(config.getLabelsMap()).isEqualTo(Map.of("wheelhouse.dev/node", "n", "io.kubernetes.pod.uid", "u-1",
                "io.kubernetes.pod.name", "web", "io.kubernetes.pod.namespace", "default"));
        assertThat(config.getMetadata().getAttempt()).isEqualTo(3);
        assertThat(config.getHostname()).isEmpty();
        var security = config.getLinux().getSecurityContext();
        assertThat(security.getNamespaceOptions().getNetwork()).isEqualTo(NamespaceMode.NODE);
        assertThat(security.getNamespaceOptions().getIpc()).isEqualTo(NamespaceMode.NODE);
        assertThat(security.getNamespaceOptions().getPid()).isEqualTo(NamespaceMode.POD);
        assertThat(config.getLinux().getSysctlsMap()).isEqualTo(Map.of("net.ipv4.conf.eth0/1.x", "1"));
        assertThat(security.getSupplementalGroupsList()).containsExactly(7L, 8L);
        assertThat(security.hasRunAsGroup()).as("a group without a user is refused by runtimes").isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            subdomain: s                                             | web
            subdomain: s, setHostnameAsFQDN: true                    | web.s.default.svc.cluster.local
            setHostnameAsFQDN: true, hostname: h                     | h
            subdomain: s, hostname: h, hostnameOverride: own.example | own.example
            """)
    void aPodHasTheHostnameOfItsSpec(String fields, String expected) {
        assertThat(Configs.sandbox(pod(fields + ", containers: []"), "n", 0, "/logs", List.of(), null).getHostname())
                .isEqualTo(expected);
    }

    @Test
    void namesAreResolvedAsThePolicySays() {
        DNSConfig machine = Configs.dns(pod("containers: []"), RESOLV, null);
        assertThat(machine.getServersList()).containsExactly("10.0.0.1");
        assertThat(machine.getSearchesList()).containsExactly("a.example", "b.example");
        DNSConfig own = Configs.dns(pod("containers: [], dnsPolicy: None, dnsConfig: {nameservers: [1.1.1.1], "
                + "options: [{name: ndots, value: '5'}, {name: edns0}]}"), RESOLV, CLUSTER);
        assertThat(own.getServersList()).containsExactly("1.1.1.1");
        assertThat(own.getSearchesList()).isEmpty();
        assertThat(own.getOptionsList()).containsExactly("ndots:5", "edns0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "dnsPolicy: Default | 10.0.0.1 | a.example b.example | ndots:2",
            "dnsPolicy: ClusterFirst | 10.96.0.10 | default.svc.cluster.local svc.cluster.local cluster.local "
                    + "a.example b.example | ndots:5",
            "restartPolicy: Always | 10.96.0.10 | default.svc.cluster.local svc.cluster.local cluster.local a.example "
                    + "b.example | ndots:5",
            "hostNetwork: true | 10.0.0.1 | a.example b.example | ndots:2",
            "hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet | 10.96.0.10 | default.svc.cluster.local "
                    + "svc.cluster.local cluster.local a.example b.example | ndots:5",
            "dnsConfig: {nameservers: [1.1.1.1, 10.96.0.10, 2.2.2.2, 3.3.3.3], searches: [b.example, c.example.], "
                    + "options: [{name: ndots, value: '1'}, {name: edns0}]} | 10.96.0.10 1.1.1.1 2.2.2.2 | "
                    + "default.svc.cluster.local svc.cluster.local cluster.local a.example b.example c.example | "
                    + "ndots:1 edns0",
    })
    void namesOfTheClusterAreResolvedByItsServer(String spec, String servers, String searches, String options) {
        DNSConfig dns = Configs.dns(pod("containers: [], " + spec), RESOLV, CLUSTER);
        assertThat(String.join(" ", dns.getServersList())).isEqualTo(servers);
        assertThat(String.join(" ", dns.getSearchesList())).isEqualTo(searches);
        assertThat(String.join(" ", dns.getOptionsList())).isEqualTo(options);
    }

    @Test
    void thereAreNotTooManySearchDomains() {
        String many = String.join(", ", IntStream.range(0, 40).mapToObj(i -> "x" + i).toList());
        assertThat(Configs.dns(pod("containers: [], dnsConfig: {searches: [" + many + "]}"), RESOLV, CLUSTER)
                .getSearchesList()).hasSize(32).endsWith("x26");
        String lengthy = String.join(", ", IntStream.range(0, 20)
                .mapToObj(i -> "y".repeat(200) + i).toList());
        assertThat(String.join(" ", Configs.dns(pod("containers: [], dnsConfig: {searches: [" + lengthy + "]}"), RESOLV,
                CLUSTER).getSearchesList())).hasSizeBetween(1800, 2048);
    }

    @Test
    void theRuntimesDirectoryOfNetworksIsFoundInWhatItSays() {
        assertThat(CniFiles.directory("{\"cni\":{\"binDir\":\"/opt/cni/bin\",\"confDir\":\"/x/net.d\"}}"))
                .isEqualTo("/x/net.d");
        assertThat(CniFiles.directory("")).isEqualTo("/etc/cni/net.d");
        byte[] text = CniFiles.text("real", "10.244.7.0/24", Path.of("/lib/real/addresses"))
                .getBytes(StandardCharsets.UTF_8);
        assertThat(ModelJson.tree(text, 0, text.length)
                .path("plugins").path(0).path("ipam").path("ranges").toString())
                .isEqualTo("[[{\"subnet\":\"10.244.7.0/24\"}]]");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
            "| 2 | 0 | 0 | 1000", "requests: {cpu: 100m, memory: 512Mi} | 102 | 0 | 0 | 500",
            "limits: {cpu: 500m, memory: 64Mi} | 512 | 50000 | 67108864 | 999",
            "limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi} | 1024 | 100000 | 1073741824 | -997",
            "limits: {cpu: 1m} | 2 | 1000 | 0 | 999",
    })
    void resourcesBecomeLimitsOfTheControlGroup(String resources, long shares, long quota, long memory, long score)
            throws ConfigProblem {
        LinuxContainerResources limits = container("resources: {" + (resources == null ? "" : resources) + "}")
                .getLinux().getResources();
        assertThat(List.of(limits.getCpuShares(), limits.getCpuQuota(), limits.getMemoryLimitInBytes(),
                limits.getOomScoreAdj())).containsExactly(shares, quota, memory, score);
    }

    @Test
    void kernelFilesAreAlwaysMaskedAndReadOnly() throws ConfigProblem {
        var security = container("securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}")
                .getLinux().getSecurityContext();
        assertThat(security.getMaskedPathsList()).contains("/proc/kcore", "/sys/firmware");
        assertThat(security.getReadonlyPathsList()).contains("/proc/sys");
        assertThat(security.getNoNewPrivs()).isTrue();
        assertThat(security.getCapabilities().getDropCapabilitiesList()).containsExactly("ALL");
        assertThat(container("stdin: true").getLogPath()).isEqualTo("c/2.log");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "volumes: [{name: v, nfs: {server: a.example, path: /}}] | spec.volumes{v}.nfs",
            "volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {path: x}}]}}] "
                    + "| spec.volumes{v}.projected.sources.clusterTrustBundle",
            "hostUsers: false | spec.hostUsers",
    })
    void aFieldThatIsNotSupportedIsNamed(String spec, String field) {
        assertThat(Unsupported.of(pod(spec + ", containers: [{name: c}]"), true)).contains(field + " yet");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "lifecycle: {preStop: {tcpSocket: {port: 1}}} | lifecycle.preStop.tcpSocket",
            "securityContext: {procMount: Unmasked} | securityContext.procMount",
            "restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}] "
                    + "| restartPolicyRules.action",
    })
    void aFieldOfAContainerThatIsNotSupportedIsNamed(String fields, String field) {
        assertThat(Unsupported.of(pod("containers: [{name: c, " + fields + "}]"), true))
                .contains("spec.containers{c}." + field + " yet");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "securityContext: {seLinuxOptions: {level: s0}}, containers: [{name: c}]",
            "containers: [{name: c, securityContext: {seLinuxOptions: {level: s0}}}]",
    })
    void optionsOfSelinuxMeanNothingOnAMachineWithoutIt(String spec) {
        assertThat(Unsupported.of(pod(spec), false)).isNull();
        assertThat(Unsupported.of(pod(spec), true)).contains("securityContext.seLinuxOptions yet");
    }

    @Test
    void aPodOfSupportedFieldsHasNoProblemAndNamesMayNotBePaths() {
        assertThat(Unsupported.of(pod("""
                restartPolicy: Always, volumes: [{name: v, emptyDir: {}}, {name: w, projected:
                  {sources: [{serviceAccountToken: {path: token}}]}}], containers: [{name: c, ports:
                  [{containerPort: 80, hostPort: 80}], volumeMounts: [{name: v, mountPath: /v}],
                  livenessProbe: {httpGet: {port: 80}}, lifecycle: {preStop: {sleep: {seconds: 1}}}}]"""), true))
                .isNull();
        assertThat(Unsupported.of(pod("containers: [{name: ../c}]"), true))
                .contains("characters that paths may not have");
        V1Pod odd = pod("containers: [{name: c}]");
        odd.getMetadata().setUid("../../etc");
        assertThat(Unsupported.of(odd, true)).contains("characters that paths may not have");
    }
}
