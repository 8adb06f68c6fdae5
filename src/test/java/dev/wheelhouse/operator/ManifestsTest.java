package dev.wheelhouse.operator;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.operator.Websites.Website;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ManifestsTest {
    private static final String USAGE = "usage: Manifests OPERATOR-CLASS… [--output DIRECTORY] [--chart DIRECTORY] "
            + "[--bundle DIRECTORY] [--namespace NAMESPACE] [--name NAME] [--image IMAGE] [--version VERSION]";
    private static final Path GOLDEN = Path.of("src/test/resources/operator/rbac.yaml");

    public static final class WebsiteOperator implements DecidingOperator<Website> {
        @Override
        public void setup(Setup<Website> setup) {
            setup.owns(V1Deployment.class).owns(V1Service.class).owns(V1ConfigMap.class)
                    .watches(V1Secret.class, secret -> List.of(), secrets -> secrets.namespaces("certificates"))
                    .finalizer("example.com/website", (request, context) -> Result.done()).crd(CrdPolicy.INSTALL)
                    .needsRights(ResourceType.NODES, "get");
        }

        @Override
        public Decision decide(Website primary, Related related, Instant now) {
            return Decision.deleteAll();
        }
    }

    /** Limited to two namespaces. */
    public static final class TeamOperator implements DecidingOperator<V1ConfigMap> {
        @Override
        public void setup(Setup<V1ConfigMap> setup) {
            setup.primary(maps -> maps.namespaces("red", "blue"))
                    .owns(V1Secret.class, secrets -> secrets.namespaces("red", "blue"))
                    .needsRights(ResourceType.PODS, "deletecollection", "list");
        }

        @Override
        public Decision decide(V1ConfigMap primary, Related related, Instant now) {
            return Decision.deleteAll();
        }
    }

    public static final class NeedsMore implements DecidingOperator<V1ConfigMap> {
        private final String more;

        public NeedsMore(String more) {
            this.more = more;
        }

        @Override
        public void setup(Setup<V1ConfigMap> setup) {
            setup.name(more);
        }

        @Override
        public Decision decide(V1ConfigMap primary, Related related, Instant now) {
            return Decision.deleteAll();
        }
    }

    @TempDir
    private Path directory;

    private static String run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Manifests.run(List.of(args), new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    /** With {@code -Dgolden.write=true} it writes the file. */
    @Test
    void theRightsAreTheDeclaredOnes() throws IOException {
        run(WebsiteOperator.class.getName(), TeamOperator.class.getName(), "--namespace", "operators", "--image",
                "example.com/operator:1", "--output", directory.toString());
        String yaml = Files.readString(directory.resolve("rbac.yaml"))
                + Files.readString(directory.resolve("deployment.yaml"));
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(GOLDEN, yaml);
        }
        assertThat(yaml).isEqualTo(Files.readString(GOLDEN));
        assertThat(directory.resolve("crds.yaml")).hasSameTextualContentAs(
                Path.of("src/test/resources/operator/websites.yaml"));
    }

    @Test
    void theProgramPrintsTheObjectsOfTheOperators() {
        assertThat(run(WebsiteOperator.class.getName())).isEqualTo(Manifests.of(new WebsiteOperator()).yaml());
        assertThat(run(WebsiteOperator.class.getName(), "--name", "sites")).contains("  name: sites\n");
    }

    static Stream<Arguments> aMistakeIsOneSentence() {
        return Stream.of(arguments(List.of(), USAGE),
                arguments(List.of("com.example.None"), "com.example.None is not on the class path"),
                arguments(List.of("java.lang.Object"), "java.lang.Object is no operator: it must implement "
                        + "DecidingOperator or ReconcilingOperator"),
                arguments(List.of(NeedsMore.class.getName()), NeedsMore.class.getName() + " has no public constructor "
                        + "without parameters: call Manifests.of(new ManifestsTest$NeedsMore(…)) in a program of your "
                        + "own"),
                arguments(List.of(TeamOperator.class.getName(), "--image"), "--image is unknown or lacks its value; "
                        + USAGE),
                arguments(List.of(TeamOperator.class.getName(), "--output", "/dev/null/x"), "the directory "
                        + "/dev/null/x cannot be written: java.nio.file.FileSystemException: /dev/null/x: Not a "
                        + "directory"));
    }

    @ParameterizedTest
    @MethodSource
    void aMistakeIsOneSentence(List<String> args, String sentence) {
        assertThatThrownBy(() -> run(args.toArray(String[]::new))).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence);
    }
}
