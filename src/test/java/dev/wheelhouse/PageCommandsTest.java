package dev.wheelhouse;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.wheelhouse.Terminal.Shell;

import static org.assertj.core.api.Assertions.assertThat;

/** The commands of the pages, as far as a build can judge them without running them. */
class PageCommandsTest {
    /** The tests that type the blocks of a page. */
    private static final Map<String, String> TYPED_BY = Map.of("README.md", "ReadmeTest",
            "docs/access.md", "TypedPagesTest", "docs/monitoring.md", "TypedPagesTest",
            "docs/nodes.md", "TypedPagesTest", "docs/operations.md", "TypedPagesTest",
            "docs/static-pods.md", "TypedPagesTest", "helm/wheelhouse/README.md", "TypedPagesTest",
            "docs/taking-over.md", "TakingOverPageTest",
            "docs/writing-a-controller.md", "TenMinutesTest");
    private static final Pattern TEST = Pattern.compile("-Dtest=([A-Za-z]+)");
    private static final Pattern SCRIPT = Pattern.compile("(?<![\\w/.-])((?:src/[\\w/-]+\\.sh|\\.ci/[\\w-]+))");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(Path.of("docs"))) {
            return Stream.concat(Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "helm/wheelhouse/README.md")
                    .map(Path::of), docs.filter(page -> page.toString().endsWith(".md"))).sorted().toList();
        }
    }

    /** The names of all files of Java, with a blank before and behind each. */
    private static String sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".java"))
                    .collect(Collectors.joining(" ", " ", " "));
        }
    }

    @Test
    void eachPageWithBlocksOfShellIsTypedByATest() throws IOException {
        String sources = sources();
        List<String> withBlocks = new ArrayList<>();
        for (Path page : pages()) {
            if (Files.readString(page).contains("```sh\n")) {
                withBlocks.add(page.toString());
            }
        }
        assertThat(TYPED_BY.values()).allMatch(test -> sources.contains(" " + test + ".java "));
        assertThat(withBlocks).containsExactlyInAnyOrderElementsOf(TYPED_BY.keySet());
    }

    /** A build types a few pages; a misspelled block of any page is found here. */
    @ParameterizedTest
    @EnumSource
    void eachShellCanReadEachBlock(Shell shell) throws Exception {
        shell.orSkip();
        for (Path page : pages()) {
            for (TypedPage.Block block : TypedPage.Block.of(Files.readString(page))) {
                Process read = new ProcessBuilder(shell.name().toLowerCase(Locale.ROOT), "-n", "-c",
                        String.join("\n", block.lines())).redirectErrorStream(true).start();
                assertThat(read.waitFor(1, TimeUnit.MINUTES)).isTrue();
                assertThat(new String(read.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .as("%s reads a block of %s", shell, page).isEmpty();
                assertThat(block.lines()).as("%s", page).noneMatch(line -> line.matches(".*\\\\\\s+"));
            }
        }
    }

    @Test
    void theTestsAndScriptsThatCommandsNameAreThere() throws IOException {
        String sources = sources();
        for (Path page : pages()) {
            String text = Files.readString(page);
            for (MatchResult test : TEST.matcher(text).results().toList()) {
                assertThat(sources).as("%s", page).contains(" " + test.group(1) + ".java ");
            }
            for (MatchResult script : SCRIPT.matcher(text).results().toList()) {
                assertThat(Path.of(script.group(1))).as("%s", page).exists();
            }
        }
    }
}
