package dev.wheelhouse.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.testing.SimulationReport.Finding;

import static org.assertj.core.api.Assertions.assertThat;

/** The page on testing shows tests that run, and a story that the simulation tells. */
@Tag("full")
class TestingPageTest {
    private static final Path PAGE = Path.of("docs/testing.md");

    @ParameterizedTest
    @CsvSource({"RolloutExampleTest, @EmbeddedApiServer(", "WebsiteOperatorTest, @EmbeddedApiServer(",
            "WebsiteSimulationTest, class WebsiteSimulationTest"})
    void theExamplesAreTests(String test, String beginning) throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/wheelhouse/testing/" + test + ".java"));
        assertThat(Files.readString(PAGE)).contains("```java\n" + source.substring(source.indexOf(beginning)) + "```");
    }

    @Test
    void theStoryIsTold() throws IOException {
        Finding finding = OperatorSimulation.of(PlantedBugs.LosesACrashBetweenTwoWrites::new).crds(Website.class)
                .start(Website.of("blog", 2, "Hello"))
                .step("changes the page", user -> user.edit(Website.class, "default", "blog",
                        website -> website.setSpec(new Website.Spec(3, "Welcome"))))
                .seeds(1).explore().findings().getFirst();
        String page = Files.readString(PAGE);
        String story = page.substring(page.indexOf("website-operator ends in another state"));

        for (String line : story.substring(0, story.indexOf("```")).split("…?\\n")) {
            assertThat(finding.toString()).contains(line);
        }
    }
}
