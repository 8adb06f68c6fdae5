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
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

import static org.assertj.core.api.Assertions.assertThat;

@DisplayName("The table of behaviours")
class BehavioursTest {
    private static final Path TABLE = Path.of("docs/behaviours.md");
    private static final Path SOURCES = Path.of("src/test/java");
    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

    private static Set<String> named() throws IOException {
        Set<String> tests = new TreeSet<>();
        NAMED.matcher(Files.readString(TABLE)).results().forEach(m -> tests.add(m.group(1) + "." + m.group(2)));
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

    @Test
    void namesTestsThatExistAndRun() throws Exception {
        assertThat(named()).isNotEmpty();
        for (String test : named()) {
            assertThat(tests(find(test.substring(0, test.indexOf('.'))))).contains(test);
        }
    }

    @Test
    void leavesNoTestOfABehaviourOut() throws IOException {
        assertThat(named()).containsAll(tests(DeploymentBehavioursTest.class))
                .containsAll(tests(ReplicaSetBehavioursTest.class));
    }

    @Test
    void hasATestInEveryLine() throws IOException {
        assertThat(Files.readAllLines(TABLE))
                .filteredOn(line -> line.startsWith("| ") && !line.startsWith("| behaviour"))
                .hasSizeGreaterThan(30).allMatch(line -> NAMED.matcher(line).find());
    }
}
