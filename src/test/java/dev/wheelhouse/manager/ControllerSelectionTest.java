package dev.wheelhouse.manager;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

class ControllerSelectionTest {
    private static final List<ControllerDescriptor> KNOWN = List.of(descriptor("deployment-controller", "deployment"),
            descriptor("replicaset-controller", "replicaset"),
            descriptor("garbage-collector-controller", "garbagecollector"));

    private static ControllerDescriptor descriptor(String name, String alias) {
        return new ControllerDescriptor(name, Set.of(alias), context -> {
            throw new AssertionError("a selection makes no controller");
        });
    }

    @ParameterizedTest(name = "{0} selects {1}")
    @CsvSource(delimiter = '|', textBlock = """
            * \
                | deployment-controller replicaset-controller garbage-collector-controller
            *,-garbage-collector-controller     | deployment-controller replicaset-controller
            -garbagecollector,*                 | deployment-controller replicaset-controller
            deployment,replicaset-controller    | deployment-controller replicaset-controller
            deployment,-deployment              | deployment-controller
            -deployment,deployment              | ''
            """)
    void controllersAreSelectedAsUpstreamSelectsThem(String entries, String expected) {
        List<String> names = ControllerSelection.select(Arrays.asList(entries.split(",")), KNOWN, each -> true).stream()
                .map(ControllerDescriptor::name).toList();

        assertThat(String.join(" ", names)).isEqualTo(expected);
    }

    /** Upstream's {@code controllersDisabledByDefault}. */
    @Test
    void aControllerThatIsOffByDefaultRunsOnlyIfItIsNamed() {
        assertThat(ControllerSelection.select(List.of("*", "deployment"), KNOWN, each -> false))
                .extracting(ControllerDescriptor::name).containsExactly("deployment-controller");
    }

    @Test
    void aControllerOfUpstreamThatIsNotHereIsTakenAndToldWithWhatFollows() {
        List<String> entries = List.of("*", "ttl", "bootstrap-signer-controller", "-podgc", "deployment");

        assertThat(ControllerSelection.select(entries, KNOWN, each -> true)).isEqualTo(KNOWN);
        assertThat(ControllerSelection.missing(entries, KNOWN))
                .extracting(UpstreamControllers.Upstream::name, UpstreamControllers.Upstream::without)
                .containsExactly(tuple("ttl-controller",
                        "Nodes get no hint how long kubelets may cache ConfigMaps and Secrets."),
                        tuple("bootstrap-signer-controller",
                                "The ConfigMap cluster-info is not signed, so kubeadm join cannot verify the "
                                        + "cluster."));
    }

    @Test
    void theResourcesThatNoRunningControllerHandlesAreToldWithWhatFollows() {
        assertThat(ControllerSelection.unhandled(KNOWN)).doesNotContainKey("deployments.apps")
                .containsEntry("jobs.batch", "job-controller does not run: Jobs get no pods.");
    }

    @Test
    void anUnknownControllerIsRefusedWithTheNamesThatThereAre() {
        assertThatThrownBy(() -> ControllerSelection.select(List.of("*", "-deploymnet"), KNOWN, each -> true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no controller \"deploymnet\"")
                .hasMessageContaining("replicaset-controller");
    }
}
