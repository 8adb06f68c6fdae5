package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The pages name only options, classes and pages that exist. */
class DocumentationTest {
    private static final Pattern OPTION = Pattern.compile("--(wheelhouse(?:\\.[a-z0-9-]+)+)");
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z]+[A-Z]\\w+)[.`]");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]*)(?:#([^)]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
            return Stream.concat(Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(Path::of),
                    docs.filter(p -> p.toString().endsWith(".md"))).toList();
        }
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theHelpNamesEveryOptionAndNoOther() {
        String help = CommandLine.check("--help", "all").orElseThrow().text();
        Set<String> options = UnknownOptions.known();
        // An application that contains Wheelhouse may turn it off; the service is nothing else.
        options.remove("wheelhouse.enabled");
        assertThat(all(OPTION, help)).isEqualTo(options);
    }

    @Test
    void theHelpBeginsWithTenOptionsAndFindsTheOthersByAWord() {
        String first = CommandLine.check("--help").orElseThrow().text();
        assertThat(first.lines().filter(line -> line.startsWith("  --"))).hasSize(10);
        assertThat(first).contains("--help all", "--help WORD");
        assertThat(all(OPTION, CommandLine.check("--help", "fsync").orElseThrow().text()))
                .containsExactly("wheelhouse.apiserver.fsync");
        assertThat(CommandLine.check("--help", "LOSS of power").orElseThrow().text())
                .contains("--wheelhouse.apiserver.fsync=true");
        CommandLine.Answer none = CommandLine.check("-h", "fsnyc").orElseThrow();
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.text()).contains("no option has \"fsnyc\"", "--help all");
    }

    @Test
    void thePagesNameNoOptionThatIsNotThere() throws IOException {
        Set<String> options = UnknownOptions.known();
        for (Path page : pages()) {
            assertThat(all(OPTION, Files.readString(page))).as("%s", page)
                    .allMatch(name -> options.stream().anyMatch(o -> o.equals(name) || o.startsWith(name + ".")));
        }
    }

    @Test
    void theArchitectureNamesOnlyClassesThatAreThere() throws IOException {
        List<String> classes = new ArrayList<>();
        for (String root : List.of("src/main/java", "src/test/java")) {
            try (Stream<Path> files = Files.walk(Path.of(root))) {
                files.map(p -> p.getFileName().toString()).filter(n -> n.endsWith(".java"))
                        .forEach(n -> classes.add(n.substring(0, n.length() - ".java".length())));
            }
        }
        for (String page : List.of("docs/architecture.md", "CONTRIBUTING.md")) {
            Set<String> named = all(CLASS, Files.readString(Path.of(page)));
            assertThat(named).isNotEmpty();
            assertThat(classes).as(page).containsAll(named);
        }
    }

    @Test
    void thePagesLinkToWhatIsThere() throws IOException {
        for (Path page : pages()) {
            for (MatchResult link : LINK.matcher(Files.readString(page)).results().toList()) {
                Path to = link.group(1).isEmpty() ? page : page.toAbsolutePath().resolveSibling(link.group(1));
                assertThat(to).as("a link of %s", page).exists();
                if (link.group(2) != null) {
                    assertThat(anchors(to)).as("the headings of %s, for a link of %s", to, page)
                            .contains(link.group(2));
                }
            }
        }
    }

    /** The anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        return all(HEADING, Files.readString(page)).stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    /** Pages about how the project proves itself are in {@code docs/internals}. */
    @Test
    void usersHaveFewPages() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("docs"))) {
            assertThat(docs.filter(p -> p.toString().endsWith(".md"))).hasSizeLessThanOrEqualTo(15);
        }
    }
}
