import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;

/**
 * The main class of the executable jar. Its class file is one of Java 8, so that an older Java prints a sentence
 * instead of a stack trace. If the build has unpacked the jar beside it, the process becomes a JVM that starts the
 * unpacked service with the build's ahead-of-time cache ({@code Pack}, {@code Replace}). Otherwise Spring Boot's
 * launcher starts the service from the jar.
 */
public final class Launcher {
    private static final int OLDEST = 21;

    private Launcher() {}

    public static void main(String[] args) throws Throwable {
        String version = System.getProperty("java.specification.version");
        int feature = Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
        if (feature < OLDEST) {
            System.err.println("wheelhouse: cannot start: it needs Java " + OLDEST + " or newer, and "
                    + System.getProperty("java.home") + " is Java " + feature + ": start it with a newer java");
            System.exit(1);
        }
        List<String> unpacked = unpacked();
        if (unpacked != null) {
            call("Replace", new Class<?>[] {List.class}, unpacked);
        }
        call("org.springframework.boot.loader.launch.JarLauncher", new Class<?>[] {String[].class}, (Object) args);
    }

    /** The unpacked service's JVM version, jar and JVM options; null if there is none, or for another JVM. */
    private static List<String> unpacked() {
        try {
            File jar = new File(Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            File start = new File(jar.getPath().replaceFirst("\\.jar$", ""), "start");
            if (System.getProperty("jarmode") != null || start.lastModified() < jar.lastModified()) {
                return null;
            }
            List<String> lines = Files.readAllLines(start.toPath(), StandardCharsets.UTF_8);
            lines.replaceAll(word -> word.replace("{}", start.getParent()));
            return lines.get(0).equals(System.getProperty("java.vm.version")) ? lines : null;
        } catch (java.io.IOException | URISyntaxException | RuntimeException e) {
            return null;
        }
    }

    private static void call(String type, Class<?>[] parameters, Object argument) throws Throwable {
        try {
            Class.forName(type).getMethod("main", parameters).invoke(null, argument);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
