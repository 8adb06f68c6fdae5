import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.Manifest;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * A step of the build. It gives the executable jar its main class ({@code Launcher}), removes the signatures of its
 * libraries, makes the archetype ({@code Archetype}), puts the library and all artifacts beside it into
 * {@code it-repository} beside the jar, where the projects of consumers find them, and writes down the class path of
 * the tests. If CACHE is true ({@code -Pfull}, or a build that skips the
 * tests), it unpacks the jar into a directory beside it, and records an ahead-of-time cache there (JEP 483, 514, 515).
 * The image records its own cache with the classes that are then in {@code rehearsal} beside the jar. Run by
 * {@code java Pack.java JAR VERSION CACHE CLASSPATH}. {@code java Pack.java install TARGET REPOSITORY} copies the
 * artifacts beside the library into a local repository.
 */
public final class Pack {
    private static final Path SOURCES = Path.of("src", "build");

    /** The time of the added entries: two builds make the same jar. */
    private static final String DATE = "1980-02-01T00:00:00Z";

    private Pack() {}

    public static void main(String[] args) throws Exception {
        if (args[0].equals("install")) {
            install(Path.of(args[1], "it-repository"), Path.of(args[2]));
            return;
        }
        Path jar = Path.of(args[0]).toAbsolutePath();
        Path work = Files.createTempDirectory("pack");
        try {
            addLauncher(jar, work);
            removeSignatures(jar, work);
            fillRepository(jar.getParent(), args[1]);
            Files.writeString(jar.resolveSibling("tested.classpath"), args[3]);
            Path unpacked = jar.resolveSibling(jar.getFileName().toString().replaceFirst("\\.jar$", ""));
            // A cache of other classes would not be used.
            delete(unpacked);
            if (!args[2].equals("false")) {
                run(work, "-Djarmode=tools", "-jar", jar.toString(), "extract", "--destination", unpacked.toString());
                Path program = unpacked.resolve(jar.getFileName());
                Path rehearsal = jar.resolveSibling("rehearsal");
                compileRehearsal(program, rehearsal);
                record(program, rehearsal, unpacked, work);
            }
        } finally {
            delete(work);
        }
    }

    /** Lays out a Maven repository with the artifacts of this build. */
    private static void fillRepository(Path target, String version) throws IOException {
        Path group = target.resolve("it-repository/dev/wheelhouse");
        delete(group);
        copy(target.resolve(".flattened-pom.xml"), group, "wheelhouse", version, "pom");
        copy(target.resolve("wheelhouse.jar"), group, "wheelhouse", version, "jar");
        for (String name : List.of("wheelhouse-bom", "wheelhouse-embedded", "wheelhouse-archetype")) {
            copy(target.resolve("poms/" + name + ".xml"), group, name, version, "pom");
        }
        copy(Archetype.make(target), group, "wheelhouse-archetype", version, "jar");
    }

    /** The library itself is installed by Maven, which knows no further artifacts of a module. */
    private static void install(Path from, Path repository) throws IOException {
        try (Stream<Path> files = Files.walk(from.resolve("dev/wheelhouse"))) {
            for (Path file : files.filter(path -> Files.isRegularFile(path)
                    && path.getParent().getParent().getFileName().toString().startsWith("wheelhouse-")).toList()) {
                Path copy = repository.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void copy(Path file, Path group, String name, String version, String type) throws IOException {
        Path directory = Files.createDirectories(group.resolve(name).resolve(version));
        Files.copy(file, directory.resolve(name + "-" + version + "." + type));
    }

    private static void addLauncher(Path jar, Path work) throws IOException {
        Path classes = work.resolve("classes");
        tool("javac", "--release", "8", "-Xlint:-options", "-d", classes.toString(),
                SOURCES.resolve("Launcher.java").toString());
        tool("javac", "--release", "25", "-d", classes.toString(), SOURCES.resolve("Replace.java").toString());
        Path manifest = Files.writeString(work.resolve("manifest"), "Enable-Native-Access: ALL-UNNAMED\n");
        tool("jar", "--update", "--date=" + DATE, "--file", jar.toString(), "--main-class", "Launcher", "--manifest",
                manifest.toString(), "-C", classes.toString(), ".");
    }

    /**
     * Replaces signed libraries by unsigned ones. The JVM would check the digests of a signed jar at each start, and
     * the cache cannot hold its classes.
     */
    private static void removeSignatures(Path jar, Path work) throws IOException {
        List<String> command = new ArrayList<>(List.of("--update", "--no-compress", "--date=" + DATE, "--file",
                jar.toString()));
        try (ZipFile all = new ZipFile(jar.toFile())) {
            for (ZipEntry library : all.stream().filter(entry -> entry.getName().matches("BOOT-INF/lib/.*\\.jar"))
                    .toList()) {
                Path signed = work.resolve("signed.jar");
                Files.write(signed, all.getInputStream(library).readAllBytes());
                try (ZipFile entries = new ZipFile(signed.toFile())) {
                    if (entries.stream().anyMatch(Pack::isSignature)) {
                        copyUnsigned(entries, work.resolve(library.getName()));
                        command.addAll(List.of("-C", work.toString(), library.getName()));
                    }
                }
            }
        }
        tool("jar", command.toArray(String[]::new));
    }

    private static void copyUnsigned(ZipFile signed, Path unsigned) throws IOException {
        Files.createDirectories(unsigned.getParent());
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(unsigned))) {
            for (ZipEntry entry : signed.stream().filter(entry -> !isSignature(entry)).toList()) {
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                if (entry.getName().equals("META-INF/MANIFEST.MF")) {
                    Manifest manifest = new Manifest(signed.getInputStream(entry));
                    // A section for each class, with its digest.
                    manifest.getEntries().clear();
                    manifest.write(out);
                } else {
                    signed.getInputStream(entry).transferTo(out);
                }
            }
        }
    }

    private static boolean isSignature(ZipEntry entry) {
        return entry.getName().matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");
    }

    private static void compileRehearsal(Path program, Path rehearsal) throws IOException {
        delete(rehearsal);
        // The manifest of the program names its libraries.
        tool("javac", "--release", "25", "-cp", program.toString(), "-d", rehearsal.resolve("classes").toString(),
                SOURCES.resolve("Rehearsal.java").toString(), SOURCES.resolve("Http2Relay.java").toString());
    }

    /**
     * Records the cache while the service rolls out workloads, and checks that it can be used. The JVM uses a cache
     * only with the class path of its recording, so Tomcat's {@code Tool} loads the rehearsal from another directory.
     */
    private static void record(Path program, Path rehearsal, Path unpacked, Path work) throws Exception {
        Path cache = unpacked.resolve("start.aot");
        List<String> options = options("jvm.options");
        List<String> training = new ArrayList<>(options);
        training.addAll(options("training.options"));
        training.addAll(List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:aot*=error,cds*=error",
                "-Dcatalina.home=" + rehearsal, "-cp", program.toString(), "org.apache.catalina.startup.Tool",
                "Rehearsal"));
        Path log = work.resolve("log");
        int code = java(work, training).redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor();
        if (code != 0 || !Files.exists(cache)) {
            throw new IllegalStateException("the rehearsal ended with " + code + ":\n" + Files.readString(log));
        }
        List<String> start = new ArrayList<>(options);
        start.add("-XX:AOTCache=" + cache);
        List<String> check = new ArrayList<>(start);
        check.addAll(List.of("-XX:AOTMode=on", "-jar", program.toString(), "--version"));
        run(work, check.toArray(String[]::new));
        start.addAll(0, List.of(System.getProperty("java.vm.version"), program.toString()));
        // The directory may be moved.
        Files.write(unpacked.resolve("start"),
                start.stream().map(word -> word.replace(unpacked.toString(), "{}")).toList());
    }

    private static List<String> options(String file) throws IOException {
        return Files.readAllLines(SOURCES.resolve(file)).stream().filter(line -> !line.startsWith("#")).toList();
    }

    private static ProcessBuilder java(Path directory, List<String> words) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString()));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().keySet().removeAll(List.of("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "JAVA_TOOL_OPTIONS"));
        return builder;
    }

    private static void run(Path directory, String... words) throws Exception {
        if (java(directory, List.of(words)).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException("failed: java " + String.join(" ", words));
        }
    }

    private static void tool(String name, String... words) {
        if (ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, words) != 0) {
            throw new IllegalStateException("failed: " + name + " " + String.join(" ", words));
        }
    }

    static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
