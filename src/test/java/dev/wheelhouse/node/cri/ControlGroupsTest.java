package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.world.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

class ControlGroupsTest {
    private static final String REQUESTS = "containers: [{name: c, resources: {requests: {cpu: 500m}}}]";

    @TempDir
    Path directory;

    private static V1Pod pod(String uid, String spec) {
        return Yaml.read("{metadata: {namespace: default, name: web, uid: " + uid + "}, spec: {" + spec + "}}",
                V1Pod.class);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            containers: [{name: c}] | BestEffort 2 0 0
            containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}] \
            | Guaranteed 1024 100000 1073741824
            containers: [{name: c, resources: {limits: {cpu: 1}, requests: {cpu: 100m}}}, {name: d}] \
            | Burstable 102 0 0
            containers: [{name: c, resources: {limits: {cpu: 1}}}, {name: d, resources: {limits: {cpu: 500m}}}] \
            | Burstable 2 150000 0
            resources: {limits: {cpu: 2, memory: 1Mi}, requests: {cpu: 1}}, containers: [{name: c}] \
            | Burstable 1024 200000 1048576
            """)
    void aPodIsLimitedAsAWholeIfEachContainerIs(String spec, String expected) {
        PodLimits limits = PodLimits.of(ModelJson.tree(pod("u", spec).getSpec()));
        assertThat(limits.qos() + " " + limits.shares() + " " + limits.quota() + " " + limits.memory())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "102, 17", "1024, 100", "4096, 303", "262144, 10000"})
    void sharesBecomeTheWeightThatRuncUses(long shares, long weight) {
        assertThat(PodLimits.weight(shares)).isEqualTo(weight);
    }

    @Test
    void bothVersionsAreWrittenInTheirOwnFiles() {
        assertThat(new PodLimits("Burstable", 512, 50_000, 0).files(false)).isEqualTo(Map.of("cpu/cpu.shares", "512",
                "cpu/cpu.cfs_period_us", "100000", "cpu/cpu.cfs_quota_us", "50000", "memory/memory.limit_in_bytes",
                "-1"));
        assertThat(new PodLimits("Burstable", 1024, 0, 1024).files(true)).isEqualTo(Map.of("cpu.weight", "100",
                "cpu.max", "max 100000", "memory.max", "1024"));
    }

    @Test
    void theControllersAreFoundWhereTheyAreMounted() {
        String v1 = "33 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct";
        String memory = "36 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory";
        String v2 = "31 30 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate";
        assertThat(ControlGroups.of(List.of(v1, memory, v2), "n").mounts()).isEqualTo(Map.of("cpu",
                Path.of("/sys/fs/cgroup/cpu,cpuacct"), "cpuacct", Path.of("/sys/fs/cgroup/cpu,cpuacct"), "memory",
                Path.of("/sys/fs/cgroup/memory")));
        assertThat(ControlGroups.of(List.of(v2.replace("/unified", ""), "no mount"), "n").mounts())
                .isEqualTo(Map.of("unified", Path.of("/sys/fs/cgroup")));
    }

    @Test
    void groupsAreMadeAndRemovedWithTheirPods() throws IOException {
        ControlGroups groups = new ControlGroups(Map.of("cpu", directory.resolve("cpu"), "memory",
                directory.resolve("memory")), "wheelhouse/n");
        assertThat(groups.make(pod("u-1", REQUESTS))).isEqualTo("/wheelhouse/n/kubepods/burstable/podu-1");
        assertThat(groups.make(pod("u-2", REQUESTS))).isEqualTo("/wheelhouse/n/kubepods/burstable/podu-2");
        assertThat(groups.make(pod("u-3", "containers: [{name: c}]")))
                .isEqualTo("/wheelhouse/n/kubepods/besteffort/podu-3");
        Path cpu = directory.resolve("cpu/wheelhouse/n/kubepods");
        assertThat(cpu.resolve("burstable/cpu.shares")).hasContent("1024");
        assertThat(cpu.resolve("besteffort/cpu.shares")).hasContent("2");
        assertThat(directory.resolve("memory/wheelhouse/n/kubepods/burstable/podu-1/memory.limit_in_bytes"))
                .hasContent("-1");
        for (String controller : List.of("cpu", "memory")) {
            Files.writeString(directory.resolve(controller + "/wheelhouse/n/kubepods/burstable/podu-1/cgroup.procs"),
                    "");
        }
        // The kernel's files vanish with their directory; the files of this test do not.
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(each -> each.toString().contains("podu-1") && Files.isRegularFile(each))
                    .toList()) {
                Files.delete(file);
            }
        }
        groups.retain(uid -> !uid.equals("u-1"));
        assertThat(cpu.resolve("burstable/podu-1")).doesNotExist();
        assertThat(cpu.resolve("burstable/podu-2")).exists();
        assertThat(cpu.resolve("burstable/cpu.shares")).hasContent("512");
    }

    @Test
    void aGroupOfVersionTwoHasTheControllersOfItsParents() throws IOException {
        for (String each : List.of("", "wheelhouse", "wheelhouse/n", "wheelhouse/n/kubepods",
                "wheelhouse/n/kubepods/burstable")) {
            Files.createDirectories(directory.resolve(each));
            Files.writeString(directory.resolve(each).resolve("cgroup.controllers"), "cpu memory\n");
        }
        ControlGroups groups = new ControlGroups(Map.of(ControlGroups.UNIFIED, directory), "wheelhouse/n");
        groups.make(pod("u-1", REQUESTS));
        assertThat(directory.resolve("wheelhouse/n/kubepods/burstable/cgroup.subtree_control"))
                .hasContent("+cpu +memory");
        assertThat(directory.resolve("wheelhouse/n/kubepods/burstable/podu-1/cpu.weight")).hasContent("59");
        assertThat(directory.resolve("wheelhouse/n/kubepods/burstable/cpu.weight")).hasContent("59");
    }
}
