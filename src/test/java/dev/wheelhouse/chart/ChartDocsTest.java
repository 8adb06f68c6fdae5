package dev.wheelhouse.chart;

import java.io.IOException;
import java.nio.file.Files;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code -Dchart.docs=write} writes the two files instead. */
class ChartDocsTest {
    private static final String STALE = "is not made from values.schema.json: run mvn test -Dtest=ChartDocsTest"
            + " -Dchart.docs=write";

    @Test
    void theValuesAndTheReadmeAreThoseOfTheSchema() throws IOException {
        String values = ChartDocs.values();
        String readme = ChartDocs.readme();
        if ("write".equals(System.getProperty("chart.docs"))) {
            Files.writeString(ChartDocs.VALUES, values);
            Files.writeString(ChartDocs.README, readme);
        }
        assertThat(Files.readString(ChartDocs.VALUES)).as("values.yaml %s", STALE).isEqualTo(values);
        assertThat(Files.readString(ChartDocs.README)).as("README.md %s", STALE).isEqualTo(readme);
    }
}
