package dev.wheelhouse.apiserver.resources;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RuntimeConfigTest {
    /** The output of {@code kubectl api-versions} with kube-apiserver 1.36.2. */
    private static final Set<String> STABLE = Set.of("admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1",
            "apiregistration.k8s.io/v1", "apps/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1",
            "autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates.k8s.io/v1", "coordination.k8s.io/v1",
            "discovery.k8s.io/v1", "events.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1", "networking.k8s.io/v1",
            "node.k8s.io/v1", "policy/v1", "rbac.authorization.k8s.io/v1", "resource.k8s.io/v1",
            "scheduling.k8s.io/v1", "storage.k8s.io/v1", "v1");

    private static Set<String> versions(RuntimeConfig config) {
        return ResourceRegistry.builtIn(config).all().stream().map(r -> r.type().apiVersion())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void byDefaultTheVersionsAreThoseOfKubeApiserver() {
        assertThat(versions(RuntimeConfig.standard())).isSubsetOf(STABLE).contains("v1", "apps/v1", "autoscaling/v2",
                "resource.k8s.io/v1");
    }

    /** So {@code kubectl get workloads} finds the resource of a definition. */
    @Test
    void byDefaultAlphaResourcesTakeNoNamesFromDefinitions() {
        assertThat(ResourceRegistry.builtIn(RuntimeConfig.standard()).all())
                .noneMatch(r -> Set.of("workloads", "podgroups", "storageversions").contains(r.type().plural()));
    }

    /** A more special switch wins, wherever it stands. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            api/all=true                                      | scheduling.k8s.io/v1alpha2/workloads | true
            api/all                                           | scheduling.k8s.io/v1alpha2/workloads | true
            api/beta=true                                     | scheduling.k8s.io/v1alpha2/workloads | false
            api/beta=true                                     | resource.k8s.io/v1beta2/devicetaintrules | true
            api/alpha=true,api/all=false                      | scheduling.k8s.io/v1alpha2/workloads | true
            api/ga=false                                      | batch/v1/jobs | false
            api/all=false,batch/v1=true                       | batch/v1/jobs | true
            batch/v1/cronjobs=false                           | batch/v1/cronjobs | false
            batch/v1/cronjobs=false                           | batch/v1/jobs | true
            batch/v1=false,batch/v1/cronjobs=true             | batch/v1/cronjobs | true
            /v1/pods=false                                    | /v1/pods | false
            resource.k8s.io/v1beta1=true                      | resource.k8s.io/v1beta2/devicetaintrules | false
            custom.metrics.k8s.io/v1beta2=true                | custom.metrics.k8s.io/v1beta2/ | true
            ''                                                | metrics.k8s.io/v1beta1/ | false
            """)
    void aSwitchTurnsApisOnAndOff(String config, String resource, boolean served) {
        String[] parts = resource.split("/", -1);
        assertThat(RuntimeConfig.parse(config).serves(parts[0], parts[1], parts[2])).isEqualTo(served);
    }

    @Test
    void aDefaultOfTheServerYieldsToASwitch() {
        assertThat(RuntimeConfig.standard().withDefault(RuntimeConfig.RESOURCE_METRICS)
                .serves("metrics.k8s.io", "v1beta1", "pods")).isTrue();
        assertThat(RuntimeConfig.parse("metrics.k8s.io/v1beta1=false").withDefault(RuntimeConfig.RESOURCE_METRICS)
                .serves("metrics.k8s.io", "v1beta1", "pods")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"api/gamma=true", "batch/v2=true", "batch=true", "batch/v1/pods=true", "batch/v1=yes"})
    void aSwitchThatNamesNothingIsRefused(String config) {
        assertThatThrownBy(() -> RuntimeConfig.parse(config)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(config.split("=")[0]);
    }
}
