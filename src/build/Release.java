import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.marcnuri.helm.Helm;

/**
 * All that a release publishes, in {@code target/release}: a Maven repository with the POMs, jars, sources and Javadoc
 * of all artifacts, their checksums and signatures, as a folder and as the zip that Maven Central takes; the chart; and
 * the image, where a container engine runs. First the promised API is compared with that of the last release. Whatever
 * cannot be made is told in a line that begins with {@code !!}; a POM without a part that Maven Central demands, and a
 * change that breaks the API, end the build. Run by {@code java -cp CLASSPATH Release.java TARGET VERSION LAST-JAR}.
 */
public final class Release {
    private static final Path SIGNATURES = Path.of("src/test/resources/api/signatures-0.1.txt");
    private static final List<String> DEMANDED = List.of("name", "description", "url", "licenses", "developers", "scm");

    private Release() {}

    public static void main(String[] args) throws Exception {
        Path target = Path.of(args[0]).toAbsolutePath();
        String version = args[1];
        compare(target.resolve("wheelhouse.jar"), args.length < 3 || args[2].startsWith("${") ? "" : args[2]);
        Path release = target.resolve("release");
        Pack.delete(release);
        Path repository = release.resolve("repository");
        fill(target, repository.resolve("dev/wheelhouse"), version);
        if (version.endsWith("-SNAPSHOT")) {
            missing("the version " + version + " is none of a release: set it in pom.xml before");
        }
        seal(repository);
        zip(repository, release.resolve("wheelhouse-" + version + ".zip"));
        new Helm(Path.of("helm/wheelhouse")).packageIt().withDestination(release).call();
        image(version);
        try (Stream<Path> files = Files.list(release)) {
            System.out.println("The release is in " + release + ": "
                    + files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.joining(", ")));
        }
    }

    private static void missing(String what) {
        System.out.println("!! " + what);
    }

    /** Ends the build if the promised API has lost something since the last release. */
    private static void compare(Path jar, String last) throws Exception {
        if (last.isEmpty()) {
            missing("the API is compared with no earlier release: name its jar by -Dlast.release=FILE");
            return;
        }
        List<String> promised = Files.readAllLines(SIGNATURES).stream()
                .filter(line -> line.contains(" of dev.wheelhouse"))
                .map(line -> line.replaceFirst("^(\\S+) of (\\S+):.*", "$2.$1"))
                // The separator of nested classes.
                .map(name -> name.replaceAll("(?<=\\.[A-Z]\\w{0,60})\\.(?=[A-Z])", "\\$")).toList();
        if (!ran("java", "-cp", System.getProperty("java.class.path"), "japicmp.JApiCmp", "-o", last, "-n",
                jar.toString(), "-i", String.join(";", promised), "-e", String.join(";", notPromised(promised, last)),
                "--only-incompatible", "--ignore-missing-classes",
                "--error-on-source-incompatibility")) {
            throw new IllegalStateException("the promised API has lost what is marked with ! above since " + last
                    + ": put it back, deprecated, or make this a major version");
        }
    }

    /** The members of promised types in the last release that were not promised. */
    private static List<String> notPromised(List<String> types, String last) throws Exception {
        List<URL> urls = new ArrayList<>(List.of(Path.of(last).toUri().toURL()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.endsWith(".jar")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        List<String> members = new ArrayList<>();
        try (URLClassLoader then = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (String name : types) {
                try {
                    for (Method method : Class.forName(name, false, then).getDeclaredMethods()) {
                        if (Stream.of(method.getAnnotations())
                                .anyMatch(each -> each.toString().endsWith("PublicApi(false)"))) {
                            members.add(name + "#" + method.getName() + Stream.of(method.getParameterTypes())
                                    .map(Class::getName).collect(Collectors.joining(",", "(", ")")));
                        }
                    }
                } catch (ClassNotFoundException e) {
                    // The type is newer than the last release.
                }
            }
        }
        return members;
    }

    private static void fill(Path target, Path group, String version) throws IOException {
        copyTree(target.resolve("it-repository/dev/wheelhouse"), group);
        Path main = group.resolve("wheelhouse/" + version);
        for (String classifier : List.of("sources", "javadoc", "exec")) {
            Path jar = target.resolve("wheelhouse-" + classifier + ".jar");
            if (Files.exists(jar)) {
                Files.copy(jar, main.resolve("wheelhouse-" + version + "-" + classifier + ".jar"));
            } else {
                missing(jar.getFileName() + " was not built");
            }
        }
        // Maven Central demands these of every jar. An archetype is its own source.
        Path archetype = group.resolve("wheelhouse-archetype/" + version);
        String name = "wheelhouse-archetype-" + version;
        for (String classifier : List.of("sources", "javadoc")) {
            Files.copy(archetype.resolve(name + ".jar"), archetype.resolve(name + "-" + classifier + ".jar"));
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    /** Checks the POMs, and puts checksums and a signature beside each file. */
    private static void seal(Path repository) throws Exception {
        boolean signs = signs();
        List<Path> files;
        try (Stream<Path> all = Files.walk(repository)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            if (file.toString().endsWith(".pom")) {
                String pom = Files.readString(file);
                List<String> lacking = DEMANDED.stream().filter(part -> !pom.contains("<" + part + ">")).toList();
                if (!lacking.isEmpty()) {
                    throw new IllegalStateException(file.getFileName() + " lacks " + lacking);
                }
            }
            if (signs && !ran("gpg", "--batch", "--yes", "--armor", "--detach-sign", file.toString())) {
                throw new IllegalStateException("gpg could not sign " + file);
            }
            byte[] bytes = Files.readAllBytes(file);
            for (Map.Entry<String, String> sum : Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512",
                    "SHA-512").entrySet()) {
                Files.writeString(Path.of(file + "." + sum.getKey()),
                        HexFormat.of().formatHex(MessageDigest.getInstance(sum.getValue()).digest(bytes)));
            }
        }
    }

    private static boolean signs() throws Exception {
        boolean key = onPath("gpg") && !output("gpg", "--batch", "--list-secret-keys").isBlank();
        if (!key) {
            missing("NOTHING IS SIGNED, and Maven Central refuses it: gpg has no secret key here");
        }
        return key;
    }

    private static void zip(Path repository, Path bundle) throws IOException {
        try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + bundle.toUri()),
                Map.of("create", "true"))) {
            List<Path> files = new ArrayList<>();
            try (Stream<Path> all = Files.walk(repository)) {
                all.filter(Files::isRegularFile).forEach(files::add);
            }
            for (Path file : files) {
                Path entry = zip.getPath("/" + repository.relativize(file));
                Files.createDirectories(entry.getParent());
                Files.copy(file, entry);
            }
        }
    }

    private static void image(String version) throws Exception {
        if (!onPath("docker") || output("docker", "info", "--format", "{{.ServerVersion}}").isBlank()) {
            missing("the image was not built: no container engine runs here");
        } else if (!ran("docker", "build", "--tag", "wheelhouse:" + version, ".")) {
            throw new IllegalStateException("the image could not be built");
        }
    }

    private static boolean onPath(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }

    private static boolean ran(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }

    /** The output of a command; empty if it fails. */
    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes());
        return process.waitFor() == 0 ? output : "";
    }
}
