package dev.wheelhouse.manager;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.facts.BuiltInResource;
import dev.wheelhouse.manager.UpstreamControllers.Upstream;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's controllers, the built-in ones, and the page that compares them. */
class UpstreamControllersTest {
    private static final Path PAGE = Path.of("docs/taking-over.md");

    static List<Upstream> all() {
        return UpstreamControllers.all();
    }

    private static Optional<ControllerDescriptor> here(Upstream upstream) {
        return BuiltInControllers.all().stream().filter(each -> each.name().equals(upstream.name())).findFirst();
    }

    /** The cells of each line of the table of controllers, by the controller's name. Flags begin with dashes. */
    private static Map<String, List<String>> page() throws IOException {
        Map<String, List<String>> lines = new TreeMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.matches("\\| `[a-z].*")) {
                List<String> cells = Stream.of(line.split("\\|")).skip(1).map(String::strip).toList();
                lines.put(cells.getFirst().replace("`", ""), cells);
            }
        }
        return lines;
    }

    @Test
    void areTheFiftyTwoOf136() throws IOException {
        assertThat(all()).hasSize(52);
        assertThat(page().keySet()).isEqualTo(all().stream().map(Upstream::name).collect(Collectors.toSet()));
        assertThat(all()).extracting(Upstream::name)
                .containsAll(BuiltInControllers.all().stream().map(ControllerDescriptor::name).toList());
    }

    @ParameterizedTest
    @MethodSource("all")
    void haveALineThatSaysWhatIsHere(Upstream upstream) throws IOException {
        List<String> cells = page().getOrDefault(upstream.name(), List.of());

        assertThat(cells.get(1)).isEqualTo(upstream.alias().isEmpty() ? "" : "`" + upstream.alias() + "`");
        assertThat(cells.get(2)).isEqualTo(upstream.when().toString());
        assertThat(cells.get(3)).isEqualTo(here(upstream).isPresent() ? "yes" : "no: " + upstream.without());
        assertThat(cells.subList(4, cells.size()).stream().allMatch(String::isEmpty))
                .isEqualTo(here(upstream).isEmpty());
    }

    @Test
    void haveTestsAndRecordingsThatExist() throws IOException {
        String page = Files.readString(PAGE);
        Set<String> files;
        try (Stream<Path> tree = Files.walk(Path.of("src/test/java"))) {
            files = tree.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        Pattern.compile("`(\\w+Test)`").matcher(page).results()
                .forEach(test -> assertThat(files).contains(test.group(1) + ".java"));
        Pattern.compile("[|,] `([\\w-]+\\.yaml)`").matcher(page).results()
                .forEach(name -> assertThat(Path.of("src/test/resources/transcripts/controllers", name.group(1)))
                        .exists());
        Pattern.compile("recordings `(\\w+)`").matcher(page).results()
                .forEach(kind -> assertThat(Path.of("src/test/resources/workloads", kind.group(1)))
                        .isDirectoryContaining("glob:**.json"));
    }

    @Test
    void handleResourcesThatExist() {
        Set<String> resources = BuiltInResource.all().stream().map(each -> each.type().groupResource())
                .collect(Collectors.toSet());

        assertThat(resources)
                .containsAll(all().stream().map(Upstream::creates).filter(each -> !each.isEmpty()).toList());
    }
}
