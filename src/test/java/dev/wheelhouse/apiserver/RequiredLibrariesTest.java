package dev.wheelhouse.apiserver;

import org.junit.jupiter.api.Test;

import com.google.protobuf.RuntimeVersion;

import static org.assertj.core.api.Assertions.assertThat;

class RequiredLibrariesTest {
    private static final int MAJOR = RuntimeVersion.MAJOR;
    private static final int MINOR = RuntimeVersion.MINOR;
    private static final int PATCH = RuntimeVersion.PATCH;

    @Test
    void anOlderProtobufThanThatOfCelIsAnsweredByThePropertyToSet() {
        String needed = MAJOR + "." + MINOR + "." + PATCH;
        assertThat(RequiredLibraries.protobufProblem(MAJOR, MINOR - 1, PATCH + 1))
                .isEqualTo("the embedded API server needs com.google.protobuf:protobuf-java " + needed
                        + ", but the class path has " + MAJOR + "." + (MINOR - 1) + "." + (PATCH + 1)
                        + ": with Spring Boot's parent, set the property <protobuf-java.version>" + needed
                        + "</protobuf-java.version>; elsewhere name it in dependencyManagement");
        assertThat(RequiredLibraries.protobufProblem(MAJOR, MINOR, PATCH)).isEmpty();
        assertThat(RequiredLibraries.protobufProblem(MAJOR, MINOR + 1, 0)).isEmpty();
    }
}
