package dev.wheelhouse.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RecordingDocTest {
    private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FIRST_CELL = Pattern.compile("^\\| (`[^|]*) \\|", Pattern.MULTILINE);

    @Test
    void thePageNamesEachStep() throws IOException {
        assertThat(firstCells("## Scenarios", "### Names")).isEqualTo(new TreeSet<>(Scenario.STEPS));
    }

    @Test
    void thePageNamesEachVerbOfTheKubelet() throws IOException {
        assertThat(firstCells("### The kubelet", "### Metrics")).isEqualTo(new TreeSet<>(Kubelet.VERBS));
    }

    @Test
    void theExamplesOfThePageAreScenarios() throws IOException {
        List<String> examples = YAML.matcher(page()).results().map(r -> r.group(1)).toList();
        assertThat(examples).hasSizeGreaterThan(3);
        for (String example : examples) {
            String yaml = example.startsWith("doc:")
                    ? example
                    : example.startsWith("- ")
                            ? "doc: x\nsteps:\n" + example
                            : "doc: x\nsteps: [{kubelet: all}]\n" + example;
            assertThat(Scenario.parse("kind/name", yaml).steps()).isNotEmpty();
        }
    }

    @Test
    void aStepWithAnotherNameIsRefused() {
        assertThatThrownBy(() -> Scenario.parse("kind/name", "doc: x\nsteps: [{sleep: 3s}]"))
                .hasMessageContaining("kind/name has the step {\"sleep\":\"3s\"}");
    }

    private static Set<String> firstCells(String from, String to) throws IOException {
        String page = page();
        return FIRST_CELL.matcher(page.substring(page.indexOf(from), page.indexOf(to))).results()
                .map((MatchResult r) -> r.group(1)).flatMap(cell -> Arrays.stream(cell.split(", ")))
                .map(name -> name.replace("`", "")).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("docs/internals/recording.md"));
    }
}
