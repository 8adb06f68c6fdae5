package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.util.Yaml;

import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Types the lines of the page about taking over, in their order, on a real kube-apiserver with a real
 * kube-controller-manager. The files of the page are below the test's own directory. The test does for the manifests
 * there what a kubelet does: it starts and ends their programs. The leaders have longer times than by default, so that
 * a busy machine takes the lead from none of them.
 */
@Tag("processes")
class TakingOverPageTest {
    private static final String ETC = "/etc/kubernetes";
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    @TempDir
    private Path home;

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    @Timeout(900)
    void theLinesOfThePageTakeAClusterOverAndBack(String shell) throws Exception {
        if (Kubectl.onPath("kube-controller-manager").isEmpty()) {
            System.out
                    .println("SKIPPED, because kube-controller-manager is not on the PATH: nothing to take over from");
            throw new TestAbortedException("kube-controller-manager is not on the PATH");
        }
        try (RealApiServer real = RealApiServer.startOrSkip(home)) {
            Kubectl kubectl = Kubectl.orSkip(real.kubeconfig(), home);
            String port = String.valueOf(RealApiServer.freePort());
            Path manifests = Files.createDirectories(home.resolve("manifests"));
            controlPlaneFiles(real);
            List<String> files = blocks("yaml", port);
            Files.writeString(manifests.resolve("kube-controller-manager.yaml"), files.getFirst());
            Files.writeString(home.resolve("wheelhouse.yaml"), files.getLast());
            try (Manifests kubelet = new Manifests(manifests)) {
                kubelet.look();
                Eventually.eventually("the real one leads", PATIENCE, () -> kubectl
                        .shell("kubectl -n kube-system get lease kube-controller-manager").code() == 0);
                for (String line : blocks("sh", port).stream().flatMap(String::lines).toList()) {
                    type(kubectl, shell, line.replace("wheelhouse.yaml >", home.resolve("wheelhouse.yaml") + " >")
                            .replace("cp wheelhouse.yaml", "cp " + home.resolve("wheelhouse.yaml")));
                    kubelet.look();
                }
            }
        }
    }

    /** Every flag of the manifest is in the table below it. */
    @Test
    void theTableHasEachLineOfTheManifest() throws IOException {
        String page = Files.readString(Path.of("docs/taking-over.md"));
        V1Container container = container(blocks("yaml", "0").getFirst());
        assertThat(container.getCommand()).hasSizeGreaterThan(10);
        for (String flag : container.getCommand().subList(1, container.getCommand().size())) {
            assertThat(page).contains("| `" + flag.replaceFirst("=.*", "="));
        }
    }

    /** The blocks of the page in a language, with this test's directory and port in the place of the page's. */
    private List<String> blocks(String language, String port) throws IOException {
        return Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$")
                .matcher(Files.readString(Path.of("docs/taking-over.md"))).results()
                .map(block -> block.group(1).replace(ETC, home.toString()).replace("10258", port)).toList();
    }

    /** A comment behind a line is a part of what the line prints in the end. */
    private static void type(Kubectl kubectl, String shell, String line) {
        String[] said = line.split(" +# ", 2);
        if (said.length == 1) {
            kubectl.shell(shell, line).succeeded();
            return;
        }
        Eventually.eventually(line, PATIENCE, () -> kubectl.shell(shell, said[0]).output().strip().contains(said[1]));
    }

    private void controlPlaneFiles(RealApiServer real) throws IOException {
        Path keys = Files.createDirectories(home.resolve("pki"));
        OwnAuthority.of(ServerKeys.inDirectory(keys), Instant.now()).authority();
        Files.copy(keys.resolve("ca.crt"), keys.resolve("front-proxy-ca.crt"));
        Files.copy(home.resolve("sa.key"), keys.resolve("sa.key"));
        Files.writeString(home.resolve("controller-manager.conf"), Files.readString(real.kubeconfig())
                .replace("token: " + RealApiServer.TOKEN, "token: " + RealApiServer.MANAGER_TOKEN));
    }

    private static V1Container container(String manifest) {
        return Yaml.loadAs(manifest, V1Pod.class).getSpec().getContainers().getFirst();
    }

    /** The programs of the manifests in a directory. */
    private static final class Manifests implements AutoCloseable {
        private final Path directory;
        private final Map<String, AutoCloseable> running = new HashMap<>();

        Manifests(Path directory) {
            this.directory = directory;
        }

        /** Ends the programs whose manifests are gone or changed, and starts those of new ones. */
        void look() throws Exception {
            List<String> present = new ArrayList<>();
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    present.add(Files.readString(file));
                }
            }
            for (String manifest : List.copyOf(running.keySet())) {
                if (!present.contains(manifest)) {
                    running.remove(manifest).close();
                }
            }
            for (String manifest : present) {
                if (!running.containsKey(manifest)) {
                    running.put(manifest, start(container(manifest)));
                }
            }
        }

        private AutoCloseable start(V1Container container) throws IOException {
            List<String> command = container.getCommand();
            if (command.isEmpty()) {
                WheelhouseProcess service = new WheelhouseProcess(directory.getParent(),
                        Stream.concat(container.getArgs().stream(),
                                Stream.of("--wheelhouse.leader-elect-lease-duration=40s",
                                        "--wheelhouse.leader-elect-renew-deadline=35s"))
                                .toArray(String[]::new));
                return () -> {
                    service.terminate();
                    service.awaitExit(PATIENCE);
                };
            }
            List<String> started = new ArrayList<>(command);
            // The machine may have another one, which has the port.
            started.addAll(List.of("--secure-port=0", "--leader-elect-lease-duration=40s",
                    "--leader-elect-renew-deadline=35s"));
            Process process = new ProcessBuilder(started).redirectErrorStream(true)
                    .redirectOutput(directory.resolveSibling("kube-controller-manager.log").toFile()).start();
            return () -> {
                process.destroy();
                process.waitFor();
            };
        }

        @Override
        public void close() throws Exception {
            for (AutoCloseable each : running.values()) {
                each.close();
            }
        }
    }
}
