package dev.wheelhouse.spring;

import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code -Dconfiguration.docs=write} writes the page instead. */
class ConfigurationDocsTest {
    @Test
    void theMetadataDescribesEveryOptionAndThePageIsMadeFromIt() throws Exception {
        List<JsonNode> properties = OptionHelp.options();
        Set<String> described = new TreeSet<>();
        for (JsonNode property : properties) {
            assertThat(property.path("description").asString("")).as(property.path("name").asString()).isNotBlank();
            described.add(property.path("name").asString());
        }
        assertThat(described).isEqualTo(UnknownOptions.known());

        String page = ConfigurationDocs.page(properties);
        if ("write".equals(System.getProperty("configuration.docs"))) {
            Files.writeString(ConfigurationDocs.PAGE, page);
        }
        assertThat(Files.readString(ConfigurationDocs.PAGE)).as("the tables are stale: run mvn test"
                + " -Dtest=ConfigurationDocsTest -Dconfiguration.docs=write").isEqualTo(page);
    }
}
