package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.Terminal.Shell;

import static org.assertj.core.api.Assertions.assertThat;

/** Every command of the pages about the service, typed as it is written and in the page's order. */
@Tag("processes")
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class TypedPagesTest {
    @TempDir
    private Path directory;

    static Stream<Arguments> pages() {
        return Stream.of("access.md", "monitoring.md", "nodes.md", "static-pods.md")
                .flatMap(page -> Stream.of(Shell.values()).map(shell -> Arguments.of(page, shell)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    @Timeout(3600)
    void theCommandLinesOfThePageDoWhatTheirCommentsSay(String page, Shell shell) throws Exception {
        Kubectl.orSkip(directory, directory);
        type(shell, 10, Path.of("docs", page));
    }

    private void type(Shell shell, int lines, Path... pages) throws Exception {
        try (TypedPage typed = new TypedPage(shell, directory)) {
            Path own = directory.resolve("wheelhouse.kubeconfig");
            if (Files.exists(own)) {
                Files.copy(own, Files.createDirectory(typed.home().resolve(".kube")).resolve("config"));
            }
            int count = 0;
            for (Path page : pages) {
                count += typed.type(Files.readString(page), block -> true);
            }
            assertThat(count).isGreaterThanOrEqualTo(lines);
        }
    }

    /** The reader's cluster is an API server with roles, with the types of the Prometheus operator. */
    @ParameterizedTest
    @EnumSource
    @Timeout(3600)
    void theChartsLinesWorkOnACluster(Shell shell) throws Exception {
        try (RunningService cluster = RunningService.start(directory,
                "--wheelhouse.apiserver.authorization-mode=rbac")) {
            Kubectl kubectl = Kubectl.orSkip(cluster.kubeconfig(), directory);
            for (String prepared : List.of("kubectl apply -f src/test/resources/charts/monitoring-types.yaml",
                    // The hollow pods of the release elect nobody.
                    "kubectl create namespace ops", "kubectl create -f - <<END\n" + """
                            apiVersion: coordination.k8s.io/v1
                            kind: Lease
                            metadata: {name: wh-wheelhouse, namespace: ops}
                            END
                            """,
                    // Nor does that of its test fetch anything.
                    "kubectl create -f - <<'END'\n"
                            + """
                                    apiVersion: admissionregistration.k8s.io/v1
                                    kind: MutatingAdmissionPolicy
                                    metadata: {name: tests-end}
                                    spec:
                                      reinvocationPolicy: Never
                                      matchConstraints:
                                        resourceRules:
                                        - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
                                      matchConditions:
                                      - name: test
                                        expression: object.metadata.?name.orValue('') == 'wh-wheelhouse-test'
                                      mutations:
                                      - patchType: ApplyConfiguration
                                        applyConfiguration:
                                          expression: 'Object{metadata: Object.metadata{annotations:
                                              {"hollow.wheelhouse.dev/run-for": "1s"}}}'
                                    ---
                                    apiVersion: admissionregistration.k8s.io/v1
                                    kind: MutatingAdmissionPolicyBinding
                                    metadata: {name: tests-end}
                                    spec: {policyName: tests-end}
                                    END
                                    """)) {
                kubectl.shell(prepared).succeeded();
            }
            type(shell, 60, Path.of("docs/operations.md"), Path.of("helm/wheelhouse/README.md"));
        }
    }
}
