package dev.wheelhouse.facts;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** The tables agree with upstream's {@code equality.Semantic.DeepEqual} of Kubernetes 1.36 for the same values. */
class SemanticFormTest {
    private static final String CORE = "io.k8s.api.core.v1.";
    private static final JsonMapper JSON = new JsonMapper();

    @ParameterizedTest(name = "{0}.{1} = {2}")
    @CsvFileSource(resources = "/tables/zero-values.txt", delimiter = '|', quoteCharacter = '\'')
    void aZeroValueEqualsAnAbsentField(String type, String field, String value) {
        assertThat(form(type, field, value)).isEmpty();
    }

    @ParameterizedTest(name = "{0}.{1} = {2}")
    @CsvFileSource(resources = "/tables/chosen-zeros.txt", delimiter = '|', quoteCharacter = '\'')
    void theZeroOfAPointerAndAnElementOfAListOrMapAreChoices(String type, String field, String value) {
        assertThat(form(type, field, value)).isNotEmpty();
    }

    @ParameterizedTest(name = "{0}.{1}: {2} and {3}")
    @CsvSource(delimiter = '|', textBlock = """
            ResourceRequirements | limits       | {"cpu": "1"}            | {"cpu": "1000m"}            | true
            ResourceRequirements | requests     | {"memory": "1Gi"}       | {"memory": "1024Mi"}        | true
            ResourceRequirements | limits       | {"cpu": "1"}            | {"cpu": "2"}                | false
            EmptyDirVolumeSource | sizeLimit    | "0.5"                   | "500m"                      | true
            PodTemplateSpec      | metadata     | {"labels": {"a": "1"}}  | {"labels": {"a": "1000m"}}  | false
            HTTPGetAction        | port         | 80                      | "80"                        | false
            Container            | args         | ["a", "b"]              | ["b", "a"]                  | false
            """)
    void quantitiesAreComparedByValueAndAllElseAsItStands(String type, String field, String one, String other,
            boolean equal) {
        assertThat(form(type, field, one).equals(form(type, field, other))).isEqualTo(equal);
    }

    @Test
    void timesAreComparedAsInstants() {
        String meta = "{\"deletionTimestamp\": \"2026-03-01T%s\"}";
        assertThat(form("PodTemplateSpec", "metadata", meta.formatted("12:00:00Z")))
                .isEqualTo(form("PodTemplateSpec", "metadata", meta.formatted("13:00:00+01:00")))
                .isNotEqualTo(form("PodTemplateSpec", "metadata", meta.formatted("13:00:00Z")));
    }

    private static Map<String, Object> form(String type, String field, String value) {
        return SemanticForm.of(JSON.readTree("{\"" + field + "\": " + value + "}"),
                requireNonNull(Schemas.ofName(CORE + type)));
    }
}
