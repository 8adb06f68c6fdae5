package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Every command line of the page about access, typed as it is written and in the page's order. */
class AccessPageTest {
    private static final String SERVER = "java -jar target/wheelhouse-exec.jar";
    private static final Pattern ACTUATOR = Pattern.compile("Health and metrics: http://127\\.0\\.0\\.1:(\\d+)/");
    private static final String END = "@@ended with ";

    @TempDir
    private Path home;

    private final List<String> exports = new ArrayList<>();
    private @Nullable WheelhouseProcess server;

    @Test
    @Timeout(300)
    void theCommandLinesOfThePageDoWhatTheirCommentsSay() throws Exception {
        Kubectl.orSkip(home.resolve("wheelhouse.kubeconfig"), home);
        int typed = 0;
        try {
            for (List<String> block : blocks()) {
                List<String> shell = new ArrayList<>();
                for (String line : block) {
                    typed++;
                    if (line.startsWith(SERVER)) {
                        type(shell);
                        shell.clear();
                        restart(line.substring(SERVER.length()));
                    } else {
                        shell.add(line);
                    }
                }
                type(shell);
            }
        } finally {
            stop();
        }
        assertThat(typed).isGreaterThan(18);
    }

    /** The lines of each block of shell; one that ends with a backslash goes on in the next. */
    private static List<List<String>> blocks() throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        Matcher fenced = Pattern.compile("(?ms)^```sh\\n(.*?)^```$")
                .matcher(Files.readString(Path.of("docs/access.md")));
        while (fenced.find()) {
            blocks.add(fenced.group(1).replaceAll("\\\\\\n\\s*", "").lines().toList());
        }
        return blocks;
    }

    private void stop() {
        if (server != null) {
            server.close();
        }
    }

    private void restart(String options) throws Exception {
        stop();
        List<String> words = new ArrayList<>(run("printf '%s\\n' " + options).lines().toList());
        words.add("--wheelhouse.apiserver.port=0");
        words.add("--server.port=0");
        server = new WheelhouseProcess(home, words.toArray(String[]::new)).awaitReady();
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
            script.append(atItsPort(line)).append("\necho \"").append(END).append("$?\"\n");
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

    private String atItsPort(String line) {
        Matcher actuator = ACTUATOR.matcher(server == null ? "" : server.output());
        return actuator.find() ? line.replace("127.0.0.1:8080", "127.0.0.1:" + actuator.group(1)) : line;
    }

    private String run(String script) throws Exception {
        Path out = Files.createTempFile(home, "out", ".txt");
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", script).directory(home.toFile())
                .redirectErrorStream(true).redirectOutput(out.toFile());
        shell.environment().put("HOME", home.toString());
        shell.environment().remove("KUBECONFIG");
        Process process = shell.start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("did not end within 60 s:\n" + script + "\n" + Files.readString(out));
        }
        return Files.readString(out);
    }
}
