package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import com.marcnuri.helm.Helm;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page whose blocks of shell are typed as they are written and in the page's order. A line that starts the service
 * ends the one before by a kill, unless it ends with {@code &}. A line that begins with {@code helm} is executed by Helm's own code.
 */
final class TypedPage implements AutoCloseable {
    private static final String SERVER = "java -jar target/wheelhouse-exec.jar";
    private static final Pattern ACTUATOR = Pattern.compile("Health and metrics: http://127\\.0\\.0\\.1:(\\d+)/");
    private static final String END = "@@ended with ";

    private final Path page;
    private final Path home;
    private final List<String> exports = new ArrayList<>();
    private @Nullable WheelhouseProcess server;
    private @Nullable WheelhouseProcess manager;

    /** @param home the working directory of the shell */
    TypedPage(Path page, Path home) {
        this.page = page;
        this.home = home;
    }

    /** Types the page, or skips the test if there is no kubectl. @return the number of lines */
    int type() throws Exception {
        Kubectl.orSkip(home.resolve("wheelhouse.kubeconfig"), home);
        int typed = 0;
        for (List<String> block : blocks()) {
            List<String> shell = new ArrayList<>();
            for (String line : block) {
                typed++;
                if (line.startsWith(SERVER)) {
                    type(shell);
                    shell.clear();
                    String options = line.substring(SERVER.length());
                    if (options.endsWith(" &")) {
                        startManager(options.substring(0, options.length() - 2));
                    } else {
                        restart(options);
                    }
                } else if (line.startsWith("helm ")) {
                    type(shell);
                    shell.clear();
                    helm(line.split(" "));
                } else {
                    shell.add(line);
                }
            }
            type(shell);
        }
        return typed;
    }

    /** The lines of each block of shell; one that ends with a backslash goes on in the next. */
    private List<List<String>> blocks() throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        Matcher fenced = Pattern.compile("(?ms)^```sh\\n(.*?)^```$")
                .matcher(Files.readString(page));
        while (fenced.find()) {
            blocks.add(fenced.group(1).replaceAll("\\\\\\n\\s*", "").lines().toList());
        }
        return blocks;
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (manager != null) {
            manager.close();
        }
    }

    private void restart(String options) throws Exception {
        if (server != null) {
            server.kill();
            server.awaitExit(Duration.ofSeconds(30));
        }
        server = start(options, "--wheelhouse.apiserver.port=0");
        exports.add("export PID=" + server.pid());
    }

    /** Starts a second process, on port 8081. */
    private void startManager(String options) throws Exception {
        manager = start(options);
        exports.add("export MANAGER=" + manager.pid());
    }

    private WheelhouseProcess start(String options, String... further) throws Exception {
        List<String> words = new ArrayList<>(run("printf '%s\\n' " + options).lines().toList());
        words.removeIf(word -> word.startsWith("--server.port="));
        words.addAll(List.of(further));
        words.add("--server.port=0");
        return new WheelhouseProcess(home, words.toArray(String[]::new)).awaitReady();
    }

    /** Runs {@code helm install|upgrade NAME CHART --namespace NAMESPACE} with {@code --set KEY=VALUE}. */
    private void helm(String[] words) {
        Helm chart = new Helm(Path.of(words[3]));
        Path kubeconfig = home.resolve("wheelhouse.kubeconfig");
        String namespace = words[5];
        assertThat(words).as("a line of Helm").contains("--namespace");
        if (words[1].equals("install")) {
            var install = chart.install().withName(words[2]).withNamespace(namespace).createNamespace()
                    .withKubeConfig(kubeconfig);
            values(words).forEach(install::set);
            assertThat(install.call().getStatus()).isEqualTo("deployed");
        } else {
            assertThat(words[1]).isEqualTo("upgrade");
            var upgrade = chart.upgrade().withName(words[2]).withNamespace(namespace).withKubeConfig(kubeconfig);
            values(words).forEach(upgrade::set);
            assertThat(upgrade.call().getStatus()).isEqualTo("deployed");
        }
    }

    private static Map<String, String> values(String[] words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < words.length; i++) {
            if (words[i].equals("--set")) {
                String[] pair = words[i + 1].split("=", 2);
                values.put(pair[0], pair[1]);
            }
        }
        return values;
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
        return atItsPort(atItsPort(line, "127.0.0.1:8080", server), "127.0.0.1:8081", manager);
    }

    private static String atItsPort(String line, String address, @Nullable WheelhouseProcess process) {
        Matcher actuator = ACTUATOR.matcher(process == null ? "" : process.output());
        return actuator.find() ? line.replace(address, "127.0.0.1:" + actuator.group(1)) : line;
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
