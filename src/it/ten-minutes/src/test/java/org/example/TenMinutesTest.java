package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Makes the files of the page "Writing a controller" in an empty folder, and types its commands, in the page's order,
 * into each shell. The home directory and the ports are the test's own.
 */
class TenMinutesTest {
    /** A block of code, and the path of its file, which ends the sentence before it. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)(?:`([^`\\n]+)`:\\n\\n)?^```(\\w+)\\n(.*?)^```$");
    /** Commands that run until somebody stops them, and the words by which they say that they are ready. */
    private static final List<List<String>> PROGRAMS = List.of(List.of("java -jar", "Wheelhouse is ready"),
            List.of("mvn compile exec:java", "all controllers are running"));

    private static final String SETTINGS = """
            <settings>
              <localRepository>%1$s</localRepository>
              <profiles>
                <profile>
                  <id>this-build</id>
                  <activation><activeByDefault>true</activeByDefault></activation>
                  <repositories><repository>
                    <id>builds-own</id><url>%2$s</url><snapshots><enabled>false</enabled></snapshots>
                  </repository></repositories>
                  <pluginRepositories><pluginRepository>
                    <id>builds-own</id><url>%2$s</url><snapshots><enabled>false</enabled></snapshots>
                  </pluginRepository></pluginRepositories>
                </profile>
              </profiles>
            </settings>
            """;

    @TempDir
    private Path home;

    private final List<Process> running = new ArrayList<>();
    private Path folder;
    private String shell;

    @ParameterizedTest
    @ValueSource(strings = {"bash", "dash"})
    @Timeout(900)
    void thePageLeadsToARunningOperator(String typedInto) throws Exception {
        for (String program : List.of("kubectl", typedInto)) {
            assumeTrue(onPath(program), "SKIPPED, because " + program + " is not on the PATH");
        }
        shell = typedInto;
        prepare();
        int files = 0;
        int typed = 0;
        for (MatchResult block : BLOCK.matcher(Files.readString(Path.of(System.getProperty("page")))).results()
                .toList()) {
            if (block.group(2).equals("sh")) {
                typed += type(block.group(3));
            } else {
                Path file = folder.resolve(block.group(1));
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.group(3));
                files++;
            }
        }
        assertEquals(6, files);
        assertTrue(typed > 10, () -> "only some lines are typed");
    }

    /** A Maven that finds what this build made, and the executable jar where {@code mvn install} would put it. */
    private void prepare() throws IOException {
        folder = Files.createDirectory(home.resolve("website"));
        Path bin = Files.createDirectory(home.resolve("bin"));
        Path settings = Files.writeString(home.resolve("settings.xml"), SETTINGS.formatted(
                System.getProperty("repository"), System.getProperty("remote")));
        Path mvn = Files.writeString(bin.resolve("mvn"), "#!/bin/sh\n"
                + "export MAVEN_OPTS='-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'\nexec "
                + System.getProperty("maven") + " -B -s " + settings + " \"$@\"\n");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Files.createSymbolicLink(bin.resolve("java"), java);
        assertTrue(mvn.toFile().setExecutable(true));
        Path installed = home.resolve(".m2/repository/dev/wheelhouse/wheelhouse/" + version());
        Files.createDirectories(installed);
        Files.createSymbolicLink(installed.resolve("wheelhouse-" + version() + "-exec.jar"),
                Path.of(System.getProperty("program")));
    }

    /** The version that the page's pom.xml names. */
    private static String version() throws IOException {
        return Pattern.compile("<artifactId>wheelhouse-bom</artifactId>\\s*<version>(.*?)</version>")
                .matcher(Files.readString(Path.of(System.getProperty("page")))).results().findFirst().orElseThrow()
                .group(1);
    }

    /** Types a block into a new terminal. @return the number of lines */
    private int type(String block) throws Exception {
        String program = block.strip().lines().reduce((first, last) -> last).orElseThrow();
        for (List<String> known : PROGRAMS) {
            if (program.startsWith(known.get(0)) && !program.contains("-D")) {
                start(block, known.get(1));
                return block.split("\n").length;
            }
        }
        Path output = Files.createTempFile(home, "out", ".txt");
        Process typed = shell(block, output);
        if (!typed.waitFor(400, TimeUnit.SECONDS)) {
            stop(typed);
        }
        assertEquals(0, typed.exitValue(), () -> block + "\n" + read(output));
        return block.split("\n").length;
    }

    private void start(String block, String ready) throws Exception {
        Path output = Files.createTempFile(home, "program", ".txt");
        Process program = shell(block, output);
        running.add(program);
        while (!read(output).contains(ready)) {
            assertTrue(program.isAlive(), () -> block + "\n" + read(output));
            program.waitFor(100, TimeUnit.MILLISECONDS);
        }
    }

    private Process shell(String block, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(shell, "-ec", block).directory(folder.toFile())
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("HOME", home.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PATH", home.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("WHEELHOUSE_APISERVER_PORT", "0");
        builder.environment().put("SERVER_PORT", "0");
        builder.environment().remove("KUBECONFIG");
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_"));
        return builder.start();
    }

    @AfterEach
    void stopThePrograms() {
        running.reversed().forEach(TenMinutesTest::stop);
    }

    private static void stop(Process shell) {
        List<ProcessHandle> all = Stream.concat(shell.descendants(), Stream.of(shell.toHandle())).toList();
        all.forEach(ProcessHandle::destroy);
        all.forEach(each -> each.onExit().orTimeout(15, TimeUnit.SECONDS).exceptionally(late -> {
            each.destroyForcibly();
            return each;
        }).join());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
