package dev.wheelhouse;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.wheelhouse.Terminal.Shell;
import dev.wheelhouse.node.cri.PrivateMachine;

import static org.assertj.core.api.Assertions.assertThat;

/** Types the commands of the README. A reader's own cluster is a second service. */
@Tag("processes")
@Execution(ExecutionMode.CONCURRENT)
class ReadmeTest {
    @TempDir
    private Path directory;

    /** The section about containers. */
    private static String containers(String readme) {
        int begin = readme.indexOf("\n## Containers");
        return readme.substring(begin, readme.indexOf("\n## ", begin + 1));
    }

    /** On a machine of its own with a containerd of its own, which has an image of the name that the lines use. */
    @ParameterizedTest
    @EnumSource
    @Timeout(300)
    void theLinesAboutContainersWorkAsTheyAreWritten(Shell shell) throws Exception {
        Kubectl.orSkip(directory, directory);
        try (PrivateMachine machine = PrivateMachine.orSkip(Files.createDirectory(directory.resolve("machine")));
                TypedPage page = new TypedPage(shell, directory)) {
            machine.image("docker.io/library/nginx:1.27",
                    "echo Welcome to nginx! >/tmp/index.html; exec httpd -f -v -h /tmp");
            page.on(machine);
            assertThat(page.type(containers(Files.readString(Path.of("README.md"))), block -> true)).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(1800)
    void theReadmesLinesWorkAsTheyAreWritten(Shell shell) throws Exception {
        Path cluster = Files.createDirectory(directory.resolve("cluster"));
        try (TypedPage page = new TypedPage(shell, directory);
                WheelhouseProcess dev = new WheelhouseProcess(cluster, "--wheelhouse.apiserver.port=0",
                        "--server.port=0")) {
            dev.awaitReady();
            Path config = Files.copy(cluster.resolve("wheelhouse.kubeconfig"),
                    Files.createDirectory(page.home().resolve(".kube")).resolve("config"));
            Kubectl.orSkip(config, directory).run("config", "rename-context", "wheelhouse", "dev").succeeded();
            String readme = Files.readString(Path.of("README.md"));
            assertThat(page.type(readme.replace(containers(readme), ""), block -> !block.uses("docker")))
                    .isGreaterThan(20);
        }
    }
}
