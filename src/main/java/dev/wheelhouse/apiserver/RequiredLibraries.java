package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The libraries that only the embedded API server needs. They are optional dependencies of the library, so that a
 * controller that runs elsewhere does not carry them.
 */
final class RequiredLibraries {
    /** One class of each library, by the library's Maven coordinates. */
    private static final Map<String, String> CLASSES = new TreeMap<>(Map.of(
            "org.apache.tomcat.embed:tomcat-embed-core", "org.apache.catalina.startup.Tomcat",
            "com.h2database:h2-mvstore", "org.h2.mvstore.MVStore",
            "dev.cel:cel", "dev.cel.runtime.CelRuntime",
            "com.google.re2j:re2j", "com.google.re2j.Pattern"));

    private RequiredLibraries() {}

    /** @throws MissingLibraryException if libraries are missing on the class path */
    static void check() {
        List<String> missing = new ArrayList<>();
        CLASSES.forEach((library, name) -> {
            try {
                Class.forName(name, false, RequiredLibraries.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                missing.add(library);
            }
        });
        if (!missing.isEmpty()) {
            throw new MissingLibraryException("the embedded API server needs " + String.join(", ", missing)
                    + " on the class path: add the dependency dev.wheelhouse:wheelhouse-embedded, of type pom");
        }
    }
}
