package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar and the image start from their ahead-of-time caches. */
@Timeout(900)
class ImageTest {
    private static final Path PROGRAM = Path.of(System.getProperty("program"));
    private static final int JAVA_8 = 52;
    private static final String AS_USER = "setpriv --reuid 10001 --regid 10001 --clear-groups ";

    @TempDir
    private Path home;

    private final List<Process> running = new ArrayList<>();

    @AfterEach
    void stop() throws InterruptedException {
        for (Process process : running) {
            process.destroyForcibly().waitFor();
        }
    }

    /** The jar is started by an old Java as well, which then prints a sentence. */
    @Test
    void theMainClassOfTheJarIsOneOfJava8() throws IOException {
        try (JarFile jar = new JarFile(PROGRAM.toFile())) {
            String main = jar.getManifest().getMainAttributes().getValue("Main-Class");
            try (DataInputStream type = new DataInputStream(jar.getInputStream(jar.getEntry(main + ".class")))) {
                assertEquals(0xCAFEBABE, type.readInt());
                assertEquals(0, type.readUnsignedShort());
                assertEquals(JAVA_8, type.readUnsignedShort());
            }
        }
    }

    /** The JVM would check a signed library's digests at each start, and leave its classes out of the cache. */
    @Test
    void noLibraryIsSigned() throws IOException {
        try (JarFile jar = new JarFile(PROGRAM.toFile())) {
            List<JarEntry> libraries = jar.stream().filter(entry -> entry.getName().endsWith(".jar")).toList();
            assertTrue(libraries.stream().anyMatch(entry -> entry.getName().contains("bcprov")), libraries::toString);
            for (JarEntry library : libraries) {
                try (JarInputStream entries = new JarInputStream(jar.getInputStream(library))) {
                    assertTrue(entries.getManifest() == null || entries.getManifest().getEntries().values().stream()
                            .noneMatch(section -> section.toString().contains("-Digest")), library::getName);
                }
            }
        }
    }

    @Test
    void theJarIsReplacedByItsUnpackedFormWithTheCache() throws Exception {
        Process service = ready(new ProcessBuilder(new ArrayList<>(List.of(System.getProperty("java.home")
                + "/bin/java", "-Dnote=kept", "-jar", PROGRAM.toString()))), home);

        List<String> arguments = List.of(service.info().arguments().orElseThrow());
        assertTrue(arguments.contains("-Dnote=kept"), arguments::toString);
        assertTrue(arguments.stream().anyMatch(word -> word.startsWith("-XX:AOTCache=")), arguments::toString);
    }

    @Test
    void theImageStartsAsItsUserFromItsCacheAndServesTls() throws Exception {
        Path project = Path.of(System.getProperty("project"));
        boolean root = System.getProperty("user.name").equals("root") && onPath("setpriv");
        Map<String, String> replaced = new HashMap<>(Map.of("apt-get", "true", "dependency:go-offline", "true",
                "package -DskipTests", "mkdir -p target && cp " + PROGRAM + " target/wheelhouse-exec.jar && cp -r "
                        + PROGRAM.resolveSibling("rehearsal") + " target/"));
        if (!root) {
            System.out.println("SKIPPED, because only root can change to the user of the image: this user starts it");
            replaced.put("chown", "true");
        }
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        Dockerfile image = new Dockerfile(project, home, replaced).build();

        assertEquals(2, image.bases.size());
        assertEquals(1, new HashSet<>(image.bases.stream().map(base -> base.replaceAll("-j(dk|re)-", "-")).toList())
                .size(), image.bases::toString);
        assertTrue(image.bases.stream().allMatch(base -> base.matches(".*:\\d+\\.\\d+\\.\\d+_\\d+-.*")),
                image.bases::toString);
        assertTrue(image.labels.stream().anyMatch(label -> label.startsWith("org.opencontainers.image.title=")));
        assertEquals("10001:10001", image.user);

        // With this option the JVM starts only if it can use its cache.
        String program = image.inRoot(String.join(" ", image.entryPoint));
        ProcessBuilder entry = image.shell("exec " + (root ? AS_USER : "") + program
                + " --wheelhouse.apiserver.address=0.0.0.0 --wheelhouse.apiserver.tls-self-signed=true"
                + " --wheelhouse.apiserver.external-hostname=localhost --server.port=0 --wheelhouse.apiserver.port=0");
        entry.environment().put("JDK_JAVA_OPTIONS", "-XX:AOTMode=on");
        ready(entry, image.root.resolve("work"));

        String kubeconfig = Files.readString(image.root.resolve("work/wheelhouse.kubeconfig"));
        assertTrue(kubeconfig.contains("https://localhost:"), kubeconfig);
        if (onPath("kubectl")) {
            Process kubectl = new ProcessBuilder("kubectl", "--kubeconfig", "wheelhouse.kubeconfig", "get", "nodes")
                    .directory(image.root.resolve("work").toFile()).inheritIO().start();
            assertEquals(0, kubectl.waitFor());
        }
    }

    /** Starts the service, and waits until it is ready. The JVM must not warn. */
    private Process ready(ProcessBuilder service, Path directory) throws Exception {
        Path output = directory.resolve("output.txt");
        List<String> command = service.command();
        if (!command.get(0).equals("sh")) {
            command.addAll(List.of("--server.port=0", "--wheelhouse.apiserver.port=0"));
            service.environment().keySet().removeAll(List.of("KUBECONFIG", "KUBERNETES_SERVICE_HOST"));
            service.directory(directory.toFile());
        }
        Process process = service.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        running.add(process);
        while (!Files.readString(output).contains("Wheelhouse is ready")) {
            if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("ended with " + process.exitValue() + ":\n" + Files.readString(output));
            }
        }
        List<String> warnings = Files.readAllLines(output).stream()
                .filter(line -> line.startsWith("WARNING:") || line.startsWith("[")).toList();
        assertEquals(List.of(), warnings);
        return process;
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
