package dev.wheelhouse.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.Kubectl;

import static org.assertj.core.api.Assertions.assertThat;

/** The chart's alerts, their runbook, and the metrics that they read. */
class AlertsTest {
    private static final Path ALERTS = Chart.DIRECTORY.resolve("files/alerts.yaml");
    private static final Path TESTS = Path.of("src/test/resources/alerts/alerts-test.yaml");
    private static final Pattern METRIC = Pattern.compile("([a-z_]+)\\{");

    @TempDir
    private Path directory;

    private static List<JsonNode> alerts() throws IOException {
        return StreamSupport.stream(Chart.documents(Files.readString(ALERTS)).getFirst().at("/groups/0/rules")
                .spliterator(), false).toList();
    }

    @Test
    void eachAlertHasItsSectionInTheRunbookAndTheRunbookHasNoOthers() throws IOException {
        List<String> sections = Files.readAllLines(Path.of("docs/operations.md")).stream()
                .filter(line -> line.startsWith("### Wheelhouse"))
                .map(line -> line.substring("### ".length())).toList();

        assertThat(alerts()).extracting(alert -> alert.path("alert").asString()).isEqualTo(sections);
        for (JsonNode alert : alerts()) {
            assertThat(alert.at("/annotations/runbook_url").asString())
                    .isEqualTo("https://wheelhouse.dev/docs/operations.md#"
                            + alert.path("alert").asString().toLowerCase(Locale.ROOT));
            assertThat(alert.at("/labels/severity").asString()).isIn("critical", "warning", "info");
            assertThat(alert.at("/annotations/summary").asString()).endsWith(".");
        }
    }

    @Test
    void theMetricsOfTheAlertsAreOnThePageOfMetrics() throws IOException {
        String page = Files.readString(Path.of("docs/monitoring.md"));
        for (JsonNode alert : alerts()) {
            Matcher names = METRIC.matcher(alert.path("expr").asString());
            assertThat(names.find()).isTrue();
            do {
                assertThat(names.group(1).equals("up") || page.contains("`" + names.group(1) + "`")).as(names.group(1))
                        .isTrue();
            } while (names.find());
        }
    }

    @Test
    void eachAlertFiresAndStaysQuietWhenItShould() throws Exception {
        if (Kubectl.onPath("promtool").isEmpty()) {
            System.out.println("SKIPPED, because promtool is not on the PATH: the alerts were not tested");
            throw new TestAbortedException("promtool is not on the PATH");
        }
        String tests = Files.readString(TESTS);
        assertThat(alerts()).allSatisfy(alert -> assertThat(tests)
                .contains("name: " + alert.path("alert").asString() + " fires\n",
                        "name: " + alert.path("alert").asString() + " stays quiet\n"));
        Files.copy(ALERTS, directory.resolve("alerts.yaml"));
        Files.copy(TESTS, directory.resolve("tests.yaml"));
        promtool("check", "rules", "alerts.yaml");
        promtool("test", "rules", "tests.yaml");
    }

    private void promtool(String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output.txt");
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("promtool ended").isTrue();
        assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    }
}
