package dev.wheelhouse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

import com.google.protobuf.RuntimeVersion;

import static org.assertj.core.api.Assertions.assertThat;

/** The page about the library names what the build publishes, and what the consumer projects use. */
class LibraryPageTest {
    private static final Path PAGE = Path.of("docs/library.md");

    private static String text(String file) throws IOException {
        return Files.readString(Path.of(file));
    }

    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.DOTALL).matcher(text).results().map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void itNamesTheArtifactsThatAreInstalledAndNoOther() throws IOException {
        Set<String> published = new TreeSet<>(Set.of("wheelhouse"));
        try (Stream<Path> poms = Files.list(Path.of("src/poms"))) {
            for (Path pom : poms.toList()) {
                published.addAll(
                        found("<artifactId>(wheelhouse-[a-z]+)</artifactId>\\s*<version>@project.version@</version>"
                                + "\\s*<packaging>", Files.readString(pom)));
            }
        }

        assertThat(found("(?m)^\\| `(wheelhouse[a-z-]*)`", Files.readString(PAGE))).isEqualTo(published);
        assertThat(text("pom.xml")).contains("<classifier>exec</classifier>");
    }

    @Test
    void itsVersionsAreTheBuilds() throws IOException {
        String version = found("<artifactId>wheelhouse</artifactId>\\s*<version>([^<$]+)</version>\\s*<name>",
                text("pom.xml")).iterator().next();

        String page = Files.readString(PAGE);
        assertThat(found("(?:version `|<version>)(\\d[-.\\w]+)[`<]", page)).containsExactly(version);
        assertThat(page).contains("Spring Boot " + SpringBootVersion.getVersion() + " is enough",
                "<protobuf-java.version>" + RuntimeVersion.OSS_MAJOR + "." + RuntimeVersion.OSS_MINOR + "."
                        + RuntimeVersion.OSS_PATCH + "</protobuf-java.version>");
    }

    /** The snippet is what src/it/plain and src/it/spring depend on; their builds are tests. */
    @Test
    void theConsumerProjectsDependOnWhatItShows() throws IOException {
        String shown = found("```xml\n(.*?)```", Files.readString(PAGE)).iterator().next().replaceAll("\\s+", "");

        for (String consumer : Set.of("plain", "spring")) {
            assertThat(text("src/it/" + consumer + "/pom.xml").replaceAll("\\s+", "").replace("@project.version@",
                    "0.1.0-SNAPSHOT")).contains(shown);
        }
    }

    @Test
    void itsTableOfTheOfficialClientHasTheVersionsOfTheBuild() throws IOException {
        String pom = text("pom.xml").replaceFirst("(?s)</dependencyManagement>.*", "");
        Set<String> parts = found("<artifactId>(client-java[a-z-]*)</artifactId>", pom);

        assertThat(parts).hasSize(5);
        for (String row : found("(?m)^(\\| `client-java[^\n|]*\\| [\\d.]+ \\|)", Files.readString(PAGE))) {
            String version = row.replaceFirst(".*\\| ([\\d.]+) \\|$", "$1");
            for (String part : found("`(client-java[a-z-]*)`", row)) {
                assertThat(parts.remove(part)).as(part).isTrue();
                assertThat(found("<artifactId>" + part + "</artifactId>\\s*<version>([^<]+)<", pom))
                        .containsExactly(version);
            }
        }
        assertThat(parts).isEmpty();
    }

    @Test
    void theOperatorInKotlinIsTheConsumers() throws IOException {
        String shown = found("```kotlin\n(.*?)```", Files.readString(PAGE)).iterator().next();

        assertThat(text("src/it/kotlin/src/main/kotlin/WebsiteOperator.kt")).contains(shown);
    }

    /** Each line of the beans is one of the consumers', but for the operator and its kubeconfig. */
    @Test
    void theBeansOfOtherFrameworksAreTheConsumers() throws IOException {
        String part = Files.readString(PAGE).replaceFirst("(?s).*## In Quarkus, in Micronaut", "")
                .replaceFirst("(?s)## Native images.*", "");
        String beans = text("src/it/quarkus/src/main/java/org/example/Operators.java")
                + text("src/it/micronaut/src/main/java/org/example/Operators.java");

        List<String> shown = String.join("\n", found("```java\n(.*?)```", part)).lines().map(String::strip)
                .filter(line -> line.matches("[@\\w].*")).toList();
        assertThat(shown).hasSizeGreaterThan(8).allSatisfy(line -> assertThat(beans)
                .contains(line.replaceFirst("new WebsiteOperator.*", "new WelcomeOperator()")
                        .replaceFirst("wheelhouse\\(\\) \\{", "wheelhouse(")));
    }

    /** The methods of the line without Spring are called by the program of src/it/plain. */
    @Test
    void theProgramWithoutSpringIsBuiltAsItIsShown() throws IOException {
        String shown = found("## Without Spring\n.*?```java\n(.*?)```", Files.readString(PAGE)).iterator().next();
        String program = text("src/it/plain/src/main/java/org/example/Main.java");

        for (String method : found("\\.([a-zA-Z]+)\\(", shown)) {
            assertThat(program).contains("." + method + "(");
        }
    }
}
