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

import static org.assertj.core.api.Assertions.assertThat;

/** Types the commands of the README. A reader's own cluster is a second service. */
@Tag("processes")
@Execution(ExecutionMode.CONCURRENT)
class ReadmeTest {
    @TempDir
    private Path directory;

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
            assertThat(page.type(Files.readString(Path.of("README.md")), block -> !block.uses("docker")))
                    .isGreaterThan(20);
        }
    }
}
