package org.example;

import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The jars that a project gets by one dependency on Wheelhouse. */
class JarsTest {

    @Test
    void thereAreFewerThan45() throws Exception {
        List<Path> jars = jars("runtime.classpath");

        assertTrue(jars.size() < 45, () -> jars.size() + " jars: " + jars);
    }

    @Test
    void noneIsOfSpringOrOfTheEmbeddedApiServer() throws Exception {
        List<String> names = names(jars("runtime.classpath"));

        for (String other : List.of("spring", "tomcat", "cel", "h2-mvstore", "re2j", "prometheus-metrics", "guava")) {
            assertFalse(names.stream().anyMatch(name -> name.startsWith(other)), () -> other + " in " + names);
        }
    }

    @Test
    void allHaveTheVersionsThatWheelhouseIsTestedWith() throws Exception {
        List<String> untested = new ArrayList<>(names(jars("java.class.path")));
        assertTrue(untested.stream().anyMatch(name -> name.startsWith("tomcat-embed-core")), untested::toString);
        untested.removeAll(names(jars("tested.classpath")));
        untested.removeIf(name -> !name.endsWith(".jar") || name.startsWith("wheelhouse-"));

        assertEquals(List.of(), untested);
    }

    @Test
    void theBillOfMaterialsAndTheLicencesInTheJarNameEachOfThem() throws Exception {
        String materials = resource("META-INF/sbom/application.cdx.json");
        String licences = resource("META-INF/THIRD-PARTY.txt");

        for (String name : names(jars("runtime.classpath"))) {
            String artifact = name.replaceFirst("-\\d.*", "");
            if (!artifact.equals("wheelhouse")) {
                assertTrue(materials.contains("/" + artifact + "@"), () -> artifact + " is no material");
                assertTrue(licences.contains(":" + artifact + ":"), () -> artifact + " has no licence");
            }
        }
    }

    private static String resource(String name) throws Exception {
        try (InputStream in = JarsTest.class.getClassLoader().getResourceAsStream(name)) {
            assertNotNull(in, () -> name + " is missing");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void theMissingEmbeddedApiServerIsNamedInOneSentence() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars("runtime.classpath")) {
            urls.add(jar.toUri().toURL());
        }
        try (URLClassLoader without = new URLClassLoader(urls.toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            var start = without.loadClass("dev.wheelhouse.testing.TestServer").getMethod("start");

            Throwable failure = assertThrows(ReflectiveOperationException.class, () -> start.invoke(null)).getCause();

            assertEquals("the embedded API server needs com.google.re2j:re2j, com.h2database:h2-mvstore, dev.cel:cel, "
                    + "io.micrometer:micrometer-registry-prometheus, "
                    + "org.apache.tomcat.embed:tomcat-embed-core on the class path: add the dependency "
                    + "dev.wheelhouse:wheelhouse-embedded, of type pom", failure.getMessage());
        }
    }

    /** The class path in a system property, or in the file that the property names. */
    private static List<Path> jars(String property) throws Exception {
        String value = System.getProperty(property);
        String classpath = property.startsWith("java.") ? value : Files.readString(Path.of(value));
        return List.of(classpath.strip().split(File.pathSeparator)).stream().map(Path::of).toList();
    }

    private static List<String> names(List<Path> jars) {
        return jars.stream().map(jar -> jar.getFileName().toString()).toList();
    }
}
