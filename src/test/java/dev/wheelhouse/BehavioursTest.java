package dev.wheelhouse;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("A page whose every line has a test or a recording")
class BehavioursTest {
    private static final Path BEHAVIOURS = Path.of("docs/internals/behaviours.md");
    private static final Path SOURCES = Path.of("src/test/java");
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern RECORDED = Pattern.compile("`((?:[\\w.-]+/)+[\\w-]+[.](?:yaml|json))`");

    private static Set<String> named(Path page) throws IOException {
        Set<String> tests = new TreeSet<>();
        NAMED.matcher(Files.readString(page)).results().forEach(m -> tests.add(m.group(1) + "." + m.group(2)));
        return tests;
    }

    private static List<String> tests(Class<?> type) {
        return Stream.of(type.getDeclaredMethods()).filter(BehavioursTest::runs)
                .map(method -> type.getSimpleName() + "." + method.getName()).toList();
    }

    private static boolean runs(Method method) {
        return AnnotationSupport.isAnnotated(method, Testable.class)
                && !AnnotationSupport.isAnnotated(method, Disabled.class)
                && !AnnotationSupport.isAnnotated(method.getDeclaringClass(), Disabled.class);
    }

    private static Class<?> find(String simpleName) throws IOException, ClassNotFoundException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            Path file = files.filter(f -> f.endsWith(simpleName + ".java")).findFirst().orElseThrow();
            return Class.forName(SOURCES.relativize(file).toString().replace(".java", "").replace('/', '.'));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/internals/behaviours.md", "docs/internals/security.md"})
    void namesTestsThatExistAndRun(Path page) throws Exception {
        assertThat(named(page)).isNotEmpty();
        for (String test : named(page)) {
            assertThat(tests(find(test.substring(0, test.indexOf('.'))))).contains(test);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/internals/behaviours.md", "docs/internals/security.md"})
    void namesRecordingsThatExist(Path page) throws IOException {
        assertThat(RECORDED.matcher(Files.readString(page)).results().map(m -> m.group(1))).isNotEmpty()
                .allMatch(name -> Stream.of("workloads/" + name, name)
                        .anyMatch(file -> Files.exists(RESOURCES.resolve(file))));
    }

    @Test
    void leavesNoTestOfABehaviourOut() throws Exception {
        List<String> classes;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            classes = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\w+BehavioursTest.java"))
                    .map(name -> name.replace(".java", "")).toList();
        }
        assertThat(classes).hasSizeGreaterThan(5);
        Set<String> missing = new TreeSet<>();
        for (String behaviours : classes) {
            missing.addAll(tests(find(behaviours)));
        }
        missing.removeAll(named(BEHAVIOURS));
        assertThat(missing).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/internals/behaviours.md", "docs/internals/security.md"})
    void hasATestOrARecordingInEveryLine(Path page) throws IOException {
        assertThat(Files.readAllLines(page))
                .filteredOn(line -> line.startsWith("| ") && !line.matches(".*[|] (test|proof) [|]"))
                .hasSizeGreaterThan(30)
                .allMatch(line -> NAMED.matcher(line).find() || RECORDED.matcher(line).find());
    }
}
