package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Every command line of the pages about the service, typed as it is written and in the page's order. */
@Tag("processes")
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class TypedPagesTest {
    /** The commands that start the service; options follow. */
    private static final Pattern SERVER = Pattern.compile("java -jar target/wheelhouse-exec\\.jar(.*)"
            + "|mvn spring-boot:run(?: -Dspring-boot\\.run\\.arguments=\"(.*)\")?");
    private static final Pattern ACTUATOR = Pattern.compile("Health and metrics: http://127\\.0\\.0\\.1:(\\d+)/");
    private static final String END = "@@ended with ";
    /** How often a line is typed until it prints the expected words: a rollout or a pull takes its time. */
    private static final int PATIENCE = 60;

    @TempDir
    private Path home;

    private final List<String> exports = new ArrayList<>();
    private final List<WheelhouseProcess> servers = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(strings = {"access.md", "nodes.md", "operations.md"})
    @Timeout(3600)
    void theCommandLinesOfThePageDoWhatTheirCommentsSay(String page) throws Exception {
        Kubectl.orSkip(home.resolve("wheelhouse.kubeconfig"), home);
        int typed = 0;
        try {
            if (!page.equals("access.md")) {
                exports.add("export KUBECONFIG=$PWD/wheelhouse.kubeconfig");
            }
            if (page.equals("nodes.md")) {
                start("--wheelhouse.horizontal-pod-autoscaler-sync-period=1s");
            }
            for (List<String> block : blocks(page)) {
                List<String> shell = new ArrayList<>();
                for (String line : block) {
                    typed++;
                    Matcher server = SERVER.matcher(line);
                    if (server.matches()) {
                        type(shell);
                        shell.clear();
                        start(String.join("", Stream.of(server.group(1), server.group(2)).filter(Objects::nonNull)
                                .toList()));
                    } else {
                        shell.add(line);
                    }
                }
                type(shell);
            }
        } finally {
            servers.forEach(WheelhouseProcess::close);
        }
        assertThat(typed).isGreaterThan(4);
    }

    /**
     * The lines of each block of shell; a line that ends with a backslash continues in the next. OperationsPageTest
     * types the beginning of the page on operations.
     */
    private static List<List<String>> blocks(String page) throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        String text = Files.readString(Path.of("docs", page));
        Matcher fenced = Pattern.compile("(?ms)^```sh\\n(.*?)^```$")
                .matcher(page.equals("operations.md") ? text.substring(text.indexOf("\n## Practice\n")) : text);
        while (fenced.find()) {
            blocks.add(fenced.group(1).replaceAll("\\\\\\n\\s*", "").lines().toList());
        }
        return blocks;
    }

    /** Starts the service. It takes the place of the last one, unless it works on that one's API server. */
    private void start(String options) throws Exception {
        boolean joins = options.contains("--wheelhouse.kubeconfig=");
        if (joins) {
            Files.createDirectories(home.resolve(".kube"));
            Files.copy(home.resolve("wheelhouse.kubeconfig"), home.resolve(".kube/config"));
        } else {
            servers.forEach(WheelhouseProcess::close);
        }
        List<String> words = new ArrayList<>(run("printf '%s\\n' " + options).lines()
                .filter(word -> !word.isEmpty()).toList());
        words.removeIf(word -> word.startsWith("--server.port="));
        words.add("--wheelhouse.apiserver.port=0");
        words.add("--server.port=0");
        WheelhouseProcess server = new WheelhouseProcess(home, words.toArray(String[]::new));
        servers.add(server);
        server.awaitReady();
        exports.add("export PID=" + servers.getLast().pid());
    }

    /**
     * Types lines into one shell. A comment behind a line is what the line prints; {@code no} and errors end with a
     * failure.
     */
    private void type(List<String> lines) throws Exception {
        StringBuilder script = new StringBuilder(String.join("\n", exports)).append('\n');
        for (String line : lines) {
            if (line.startsWith("export ")) {
                exports.add(line);
            }
            script.append(untilExpected(atItsPort(patient(line)))).append("\necho \"").append(END).append("$?\"\n");
        }
        List<MatchResult> ran = Pattern.compile("(?s)(.*?)" + END + "(\\d+)\n").matcher(run(script.toString()))
                .results()
                .toList();
        assertThat(ran).hasSameSizeAs(lines);
        for (int i = 0; i < lines.size(); i++) {
            String output = ran.get(i).group(1);
            String[] said = lines.get(i).split(" +# ", 2);
            String expected = said.length < 2 ? "" : said[1].strip();
            boolean fails = expected.equals("no") || expected.toLowerCase(Locale.ROOT).startsWith("error");
            assertThat(output).as(lines.get(i)).contains(expected);
            assertThat(ran.get(i).group(2).equals("0")).as(lines.get(i) + "\n" + output).isEqualTo(!fails);
        }
    }

    /** A line that reads is typed again until it prints what its comment says. */
    private static String untilExpected(String line) {
        String[] said = line.split(" +# ", 2);
        boolean reads = said[0].startsWith("kubectl get") || said[0].startsWith("curl ") && !said[0].contains(" -d ");
        return said.length < 2 || !reads
                ? line
                : "for i in $(seq " + PATIENCE + "); do out=$(" + said[0] + " 2>&1); code=$?; case \"$out\" in *'"
                        + said[1].strip() + "'*) break;; esac; sleep 1; done; echo \"$out\"; (exit $code)";
    }

    /** A reader waits for fifty seconds; a machine that is busy with tests may need more. */
    private static String patient(String line) {
        return line.replaceFirst("(timeout[ =])50\\b", "$1600");
    }

    private String atItsPort(String line) {
        Matcher actuator = ACTUATOR.matcher(servers.isEmpty() ? "" : servers.getLast().output());
        return actuator.find() ? line.replaceAll("127\\.0\\.0\\.1:808[01]", "127.0.0.1:" + actuator.group(1)) : line;
    }

    private String run(String script) throws Exception {
        Path out = Files.createTempFile(home, "out", ".txt");
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", script).directory(home.toFile())
                .redirectErrorStream(true).redirectOutput(out.toFile());
        shell.environment().put("HOME", home.toString());
        shell.environment().remove("KUBECONFIG");
        Process process = shell.start();
        if (!process.waitFor(900, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("did not end within 900 s:\n" + script + "\n" + Files.readString(out));
        }
        return Files.readString(out);
    }
}
