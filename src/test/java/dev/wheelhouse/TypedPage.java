package dev.wheelhouse;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.wheelhouse.Terminal.Shell;
import dev.wheelhouse.Terminal.State;
import dev.wheelhouse.node.cri.PrivateMachine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Types the blocks of shell of a page as they are written, character by character, in the page's order, into terminals
 * of one shell. The sentences before a block direct it, as they direct a reader: "first", "second" or "third terminal"
 * names the terminal, and "Ctrl+C" ends the program that runs there, or "in the third terminal". Without such words the
 * terminal is that of the block before.
 *
 * <p>
 * A comment behind a command is a part of what the command prints. After {@code no}, or an error, the command has
 * failed. A command that reads may be typed again until it prints the comment.
 *
 * <p>
 * The folder has the project's files. On the PATH are stand-ins: {@code mvn} and {@code java} start the classes of this
 * build as the service, on free ports; {@code curl} finds these ports by the page's ones; {@code helm} is the real Helm
 * as a library; {@code apt-get} installs nothing. Their arguments are those that the shell makes of the page's line.
 */
final class TypedPage implements AutoCloseable {
    private static final Pattern DIRECTION = Pattern.compile("(first|second|third)\\s+terminal"
            + "|Ctrl\\+C(?:\\s+in\\s+the\\s+(first|second|third)\\s+terminal)?");
    private static final Pattern READY = Pattern.compile("Health and metrics: http://127\\.0\\.0\\.1:(\\d+)/");
    private static final Pattern READS = Pattern.compile("(kubectl (-n \\S+ )?get|curl (?!.* -d )).*", Pattern.DOTALL);
    private static final List<String> FILES = List.of("docs", "examples", "helm", "src", "pom.xml", "Dockerfile");
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final Shell shell;
    private final Path folder;
    private final Path home;
    private final Path bin;
    private final Duration patience;
    private List<String> machine = List.of();
    private final Map<String, Terminal> terminals = new HashMap<>();
    /** The ports, as the page names them, of the service in each terminal in which one runs. */
    private final Map<Terminal, List<Path>> services = new HashMap<>();
    private final List<Typed> transcript = new ArrayList<>();
    private String current = "first";

    /** @param prose the text between the block before and this one */
    record Block(String prose, List<String> lines) {
        /** The blocks of shell in a page. */
        static List<Block> of(String page) {
            List<Block> blocks = new ArrayList<>();
            StringBuilder prose = new StringBuilder();
            List<String> lines = new ArrayList<>();
            String fence = "";
            for (String line : page.split("\n")) {
                if (fence.isEmpty()) {
                    prose.append(line).append('\n');
                    fence = line.startsWith("```") ? line : "";
                } else if (!line.equals("```")) {
                    lines.add(line);
                } else {
                    if (fence.equals("```sh")) {
                        blocks.add(new Block(prose.toString(), List.copyOf(lines)));
                        prose.setLength(0);
                    }
                    lines.clear();
                    fence = "";
                }
            }
            return blocks;
        }

        /** Whether it needs something that a build does not have, such as a container engine. */
        boolean uses(String program) {
            return lines.stream().anyMatch(line -> line.startsWith(program + " "));
        }
    }

    TypedPage(Shell shell, Path directory) throws IOException {
        this(shell, directory, PATIENCE);
    }

    /** @param patience the longest time of a command that is expected to end */
    TypedPage(Shell shell, Path directory, Duration patience) throws IOException {
        this.shell = shell;
        this.patience = patience;
        folder = Files.createDirectories(directory.resolve("wheelhouse"));
        home = Files.createDirectories(directory.resolve("home"));
        bin = Files.createDirectories(directory.resolve("bin"));
        for (String file : FILES) {
            Files.createSymbolicLink(folder.resolve(file), Path.of(file).toAbsolutePath());
        }
        Path ports = Files.createDirectories(bin.resolve("ports"));
        program("service", """
                port=8080 api=7443
                for word; do
                  shift
                  case $word in
                  --server.port=*) port=${word#*=} ; continue ;;
                  --wheelhouse.kubeconfig=* | --wheelhouse.node.bootstrap-kubeconfig=* | --wheelhouse.mode=none) api= ;;
                  esac
                  set -- "$@" "$word"
                done
                for each in $port $api; do
                  [ ! -e PORTS/$each ] || { echo "a program uses the port $each"; exit 1; }
                done
                echo $port $api > PORTS/asked
                exec SERVICE "$@" --server.port=0 --wheelhouse.apiserver.port=0
                """.replace("PORTS", ports.toString()).replace("SERVICE", words(ServiceProgram.command())));
        program("java",
                """
                        [ "$1 $2" = "-jar target/wheelhouse-exec.jar" ] && [ -e "$2" ] || {
                          echo "no such program: $*"
                          exit 1
                        }
                        shift 2
                        exec service "$@"
                        """);
        // Maven splits the arguments of the program at blanks, and leaves patterns alone.
        program("mvn", """
                set -f
                case $* in
                spring-boot:run) exec service ;;
                "spring-boot:run -Dspring-boot.run.arguments="*) exec service ${2#*=} ;;
                "package -DskipTests") mkdir -p target && : > target/wheelhouse-exec.jar ;;
                verify) ;;
                *) echo "this goal is not typed here: $*"; exit 1 ;;
                esac
                """);
        program("curl", """
                for word; do
                  shift
                  port=${word##*127.0.0.1:}
                  port=${port%%/*}
                  if [ "$port" != "$word" ] && [ -e "PORTS/$port" ]; then
                    word=${word%%127.0.0.1:*}127.0.0.1:$(cat "PORTS/$port")${word#*127.0.0.1:"$port"}
                  fi
                  set -- "$@" "$word"
                done
                exec CURL "$@"
                """.replace("PORTS", ports.toString())
                .replace("CURL", Kubectl.onPath("curl").map(Path::toString).orElse("curl")));
        program("apt-get", "[ \"$1\" = install ]\n");
        program("helm", "exec " + words(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp",
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator)),
                HelmLine.class.getName())) + " \"$@\"\n");
    }

    private static String words(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    private void program(String name, String script) throws IOException {
        Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Lets the terminals run on a machine of their own. */
    void on(PrivateMachine where) {
        machine = where.in(folder);
    }

    /** The home directory of the one who types. */
    Path home() {
        return home;
    }

    /** The folder in which the terminals open. */
    Path folder() {
        return folder;
    }

    /** @param output what the line printed; of a program that runs on, up to the words that it is ready */
    record Typed(String line, String output, Duration took) {}

    List<Typed> transcript() {
        return transcript;
    }

    /**
     * Types all blocks of a page.
     *
     * @return the number of lines
     */
    int type(String page, Predicate<Block> blocks) throws IOException {
        int typed = 0;
        for (Block block : Block.of(page)) {
            if (blocks.test(block)) {
                type(block);
                typed += block.lines().size();
            }
        }
        return typed;
    }

    private void type(Block block) throws IOException {
        for (Matcher said = DIRECTION.matcher(block.prose()); said.find();) {
            if (said.group(1) != null) {
                current = said.group(1);
            } else {
                interrupt(said.group(2) == null ? current : said.group(2));
            }
        }
        Terminal terminal = terminals.computeIfAbsent(current, name -> new Terminal(shell, folder, Map.of(
                "HOME", home.toString(), "PATH", bin + ":" + System.getenv("PATH")), machine));
        List<String> command = new ArrayList<>();
        for (String line : block.lines()) {
            assertThat(services).as("a program runs in the %s terminal, where the page types: %s", current, line)
                    .doesNotContainKey(terminal);
            command.add(line);
            State state = type(terminal, line);
            if (state == State.RUNS) {
                started(terminal);
            } else if (state == State.ENDED) {
                check(terminal, String.join("\n", command));
                command.clear();
            }
        }
        assertThat(services.containsKey(terminal) ? List.of() : command).as("lines that are no whole command")
                .isEmpty();
    }

    private void interrupt(String name) throws IOException {
        Terminal terminal = terminals.get(name);
        assertThat(services).as("the services that run, for Ctrl+C in the %s terminal", name).containsKey(terminal);
        terminal.interrupt(patience);
        for (Path port : services.remove(terminal)) {
            Files.delete(port);
        }
    }

    private State type(Terminal terminal, String line) {
        long began = System.nanoTime();
        State state = terminal.type(line, READY, patience);
        transcript.add(new Typed(line, terminal.output(), Duration.ofNanos(System.nanoTime() - began)));
        return state;
    }

    /** A service runs. Its ports are found by the numbers that the page has for them. */
    private void started(Terminal terminal) throws IOException {
        Matcher said = READY.matcher(terminal.output());
        assertThat(said.find()).isTrue();
        List<Path> ports = new ArrayList<>();
        for (String port : Files.readString(bin.resolve("ports/asked")).strip().split(" ")) {
            ports.add(Files.writeString(bin.resolve("ports").resolve(port), said.group(1)));
        }
        services.put(terminal, ports);
    }

    private void check(Terminal terminal, String command) {
        List<String> lines = List.of(command.split("\n"));
        String expected = Stream.of(lines.getFirst(), lines.getLast()).map(line -> line.split(" +# ", 2))
                .filter(said -> said.length == 2).map(said -> said[1].strip()).findFirst().orElse("");
        boolean fails = expected.equals("no") || expected.toLowerCase(Locale.ROOT).startsWith("error");
        long deadline = System.nanoTime() + patience.toNanos();
        while (!(terminal.output().contains(expected) && (terminal.code() == 0) != fails)
                && READS.matcher(command).matches() && !expected.isEmpty() && System.nanoTime() < deadline) {
            terminal.type("sleep 1", READY, patience);
            lines.forEach(line -> terminal.type(line, READY, patience));
        }
        // A line with an event of the history that is not there leaves the exit code of the line before.
        assertThat(terminal.output()).as(command).contains(expected).doesNotContain("event not found");
        assertThat(terminal.code() == 0).as("%s%nended with %s:%n%s", command, terminal.code(), terminal.output())
                .isEqualTo(!fails);
    }

    @Override
    public void close() throws IOException {
        terminals.values().forEach(Terminal::close);
        for (String file : FILES) {
            Files.deleteIfExists(folder.resolve(file));
        }
    }
}
