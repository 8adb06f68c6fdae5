package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Types the lines of the page on operations, in their order, down to those of its part on practice. */
@Tag("processes")
@Tag("full")
class OperationsPageTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");

    @TempDir
    private Path home;

    @Test
    @Timeout(1800)
    void theLinesOfThePageDoWhatTheirCommentsSay() throws IOException {
        List<String> lines = lines();
        assertThat(lines).hasSizeGreaterThan(15).last().asString().startsWith("helm uninstall");
        try (RunningService service = RunningService.start(home, "--wheelhouse.apiserver.authorization-mode=rbac")) {
            Kubectl kubectl = Kubectl.orSkip(service.kubeconfig(), home);
            kubectl.shell("kubectl apply -f src/test/resources/charts/monitoring-types.yaml").succeeded();
            // The hollow pods of the release elect nobody.
            kubectl.shell("kubectl create namespace ops").succeeded();
            kubectl.shell("printf 'apiVersion: coordination.k8s.io/v1\\nkind: Lease\\nmetadata: "
                    + "{name: wh-wheelhouse}\\n' | kubectl -n ops create -f -").succeeded();
            for (String line : lines) {
                type(kubectl, line, service.kubeconfig());
            }
        }
    }

    /** A comment behind a line is a part of what the line prints. After {@code no} the line ends with a failure. */
    private static void type(Kubectl kubectl, String line, Path kubeconfig) {
        if (line.startsWith("helm ")) {
            HelmLine.run(line, kubeconfig);
            return;
        }
        String[] said = line.split(" +# ", 2);
        Kubectl.Ran ran = kubectl.shell(said[0]);
        if (said.length == 2) {
            assertThat(ran.output()).as(line).contains(said[1]);
        }
        if (said.length < 2 || !said[1].equals("no")) {
            ran.succeeded();
        }
    }

    private static List<String> lines() throws IOException {
        Matcher blocks = BLOCK.matcher(Files.readString(Path.of("docs/operations.md")).split("\n## Practice\n", 2)[0]);
        return blocks.results().flatMap(block -> Stream.of(block.group(1).split("\n"))).toList();
    }
}
