package dev.wheelhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The rules of style that neither the compiler nor the formatter checks. */
class SourcesTest {
    private static final int LINE = 120;
    private static final Pattern NO_SUBJECT = Pattern
            .compile("(\\s*|.*[;{}]\\s+)(/\\*\\*|\\*|//)\\s*(What|Who|Whoever|Whose|Those|That of)\\b.*");
    private static final Pattern WHOLE_JVM = Pattern.compile("Logged\\.by|Quiet\\.class|CapturedOutput"
            + "|getAllStackTraces|getThreadCount|System\\.(gc|setProperty)\\(|\\.setLevel\\(");
    private static final Pattern UNDERSCORE = Pattern.compile("    void \\w+_\\w*\\(.*");

    @Test
    void noLineIsLongerThan120Characters() {
        // The formatter breaks no line between the type and the name of a method.
        Predicate<String> tooLong = line -> line.codePointCount(0, line.length()) > LINE && !line.endsWith("(");
        assertThat(lines("src", tooLong)).isEmpty();
    }

    @Test
    void everyCommentNamesItsSubject() {
        assertThat(lines("src", NO_SUBJECT.asMatchPredicate())).isEmpty();
    }

    @Test
    void nothingIsLeftOfAMerge() {
        Predicate<String> marker = line -> line.startsWith("<<<<" + "<<< ") || line.startsWith(">>>>" + ">>> ");
        assertThat(Stream.of("src", "docs", "helm", "examples").flatMap(folder -> lines(folder, "", marker).stream()))
                .isEmpty();
    }

    @Test
    void namesOfTestsAreSentencesInCamelCase() {
        assertThat(lines("src/test", UNDERSCORE.asMatchPredicate())).isEmpty();
    }

    @Test
    void noTestSleeps() {
        assertThat(lines("src/test", line -> line.contains("Thread." + "sleep("))).isEmpty();
    }

    /** Classes run side by side in one JVM, except those that wait for processes, which have a JVM of their own. */
    @Test
    void classesThatLookAtTheWholeJvmAreIsolated() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test"))) {
            assertThat(files.filter(path -> path.toString().endsWith("Test.java"))).allSatisfy(path -> {
                String text = Files.readString(path);
                if (WHOLE_JVM.matcher(text).find()) {
                    assertThat(text).containsAnyOf("@Isolated", "@Tag(\"processes\")", "@Tag(\"stepped\")");
                }
            });
        }
    }

    /** {@code mvn -Pfull verify} runs what a build leaves out, and what it runs in a smaller size. */
    @Test
    void classesThatHaveSizesAreTaggedForTheFullBuild() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test"))) {
            assertThat(files.filter(path -> path.toString().endsWith("Test.java"))).allSatisfy(path -> {
                String text = Files.readString(path);
                if (text.contains("Sizes" + ".of(")) {
                    assertThat(text).containsAnyOf("@Tag(\"full\")", "@Tag(\"sized\")");
                }
            });
        }
    }

    private static List<String> lines(String folder, Predicate<String> matching) {
        return lines(folder, ".java", matching);
    }

    private static List<String> lines(String folder, String suffix, Predicate<String> matching) {
        Charset charset = suffix.isEmpty() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            for (Path file : files
                    .filter(path -> path.toString().endsWith(suffix) && Files.isRegularFile(path)).toList()) {
                int number = 0;
                for (String line : Files.readString(file, charset).lines().toList()) {
                    number++;
                    if (matching.test(line)) {
                        found.add(file + ":" + number + " " + line.strip());
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
