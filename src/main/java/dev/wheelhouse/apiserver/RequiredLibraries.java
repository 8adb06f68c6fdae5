package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import com.google.protobuf.RuntimeVersion;

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
            "com.google.re2j:re2j", "com.google.re2j.Pattern",
            "io.micrometer:micrometer-registry-prometheus",
            "io.micrometer.prometheusmetrics.PrometheusMeterRegistry"));

    private RequiredLibraries() {}

    /** @throws MissingLibraryException if libraries are missing on the class path, or one is too old */
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
        String problem = protobufProblem(protobuf("MAJOR"), protobuf("MINOR"), protobuf("PATCH"));
        if (!problem.isEmpty()) {
            throw new MissingLibraryException(problem);
        }
    }

    /** Part of the version on the class path. A reference to the constant would be the version of the build. */
    private static int protobuf(String part) {
        try {
            return RuntimeVersion.class.getField(part).getInt(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("com.google.protobuf:protobuf-java has no known version", e);
        }
    }

    /**
     * Classes of CEL refuse to be loaded with an older protobuf than they were generated for. A parent, such as Spring
     * Boot's of an earlier release, can choose one.
     *
     * @return why this version does not work; empty if it does
     */
    static String protobufProblem(int major, int minor, int patch) {
        int[] present = {major, minor, patch};
        int[] needed = {RuntimeVersion.MAJOR, RuntimeVersion.MINOR, RuntimeVersion.PATCH};
        if (Arrays.compare(present, needed) >= 0) {
            return "";
        }
        String version = needed[0] + "." + needed[1] + "." + needed[2];
        return "the embedded API server needs com.google.protobuf:protobuf-java " + version
                + ", but the class path has "
                + major + "." + minor + "." + patch + ": with Spring Boot's parent, set the property "
                + "<protobuf-java.version>" + version + "</protobuf-java.version>; "
                + "elsewhere name it in dependencyManagement";
    }
}
