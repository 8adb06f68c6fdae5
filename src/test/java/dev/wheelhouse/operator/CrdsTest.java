package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import com.google.gson.annotations.SerializedName;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1JobTemplateSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.operator.Websites.Website;
import dev.wheelhouse.operator.Websites.Website.Page;
import dev.wheelhouse.operator.Websites.Website.Theme;
import dev.wheelhouse.operator.schema.Default;
import dev.wheelhouse.operator.schema.Limits;
import dev.wheelhouse.operator.schema.ListKeys;
import dev.wheelhouse.operator.schema.Matches;
import dev.wheelhouse.operator.schema.PrinterColumn;
import dev.wheelhouse.operator.schema.Rule;
import dev.wheelhouse.operator.schema.Selectable;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class CrdsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/operator/websites.yaml");
    /** The limit of an object's annotations, one of which holds what {@code kubectl apply} applied. */
    private static final int ANNOTATIONS = 262_144;

    /** With {@code -Dgolden.write=true} it writes the file. */
    @Test
    void theDefinitionOfAClassIsTheOneOnFile() throws IOException {
        String yaml = Manifests.yaml(List.of(Crds.of(Website.class)));
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(GOLDEN.getParent());
            Files.writeString(GOLDEN, yaml);
        }
        assertThat(yaml).isEqualTo(Files.readString(GOLDEN));
    }

    @Test
    void whatTheClassWritesTheServerKeepsAndTheClassReads() {
        Website website = new Website();
        website.setApiVersion("example.com/v1");
        website.setKind("Website");
        website.getMetadata().namespace("default").name("home");
        Page page = new Page();
        page.title = "Home";
        page.icon = new byte[]{1, 2};
        website.setSpec(new Website.Spec(Set.of("a"), 3, "nginx", Theme.DARK, List.of(page),
                List.of(new Website.Route("/a", 302, "/b")), Map.of("a", 1), Map.of("l", 1), new Quantity("1Gi"),
                new IntOrString("80%"),
                new V1ResourceRequirements().putLimitsItem("cpu", new Quantity("1500m")),
                List.of(new V1Container().name("proxy").image("envoy")),
                new V1LabelSelector().putMatchLabelsItem("a", "b"),
                new V1ConfigMap().apiVersion("v1").kind("ConfigMap").metadata(new V1ObjectMeta().name("t")),
                List.of(1, Map.of("any", "thing")), Optional.of("me"), Duration.ofMinutes(5), true,
                0.5));
        String written = ModelJson.write(website.getSpec());
        try (TestServer server = TestServer.start()) {
            server.client().resource(Crds.TYPE, V1CustomResourceDefinition.class).create(Crds.of(Website.class));
            Website stored = server.client().resource(ResourceTypes.of(Website.class), Website.class).create(website);

            assertThat(ModelJson.write(stored.getSpec())).isEqualTo(written);
            assertThat(stored.getSpec().refresh()).isEqualTo(Duration.ofMinutes(5));
        }
    }

    @ResourceDefinition(group = "example.com", version = "v1")
    static final class Big extends CustomResource<Big.Spec, Void> {
        record Spec(V1PodTemplateSpec pods, V1JobTemplateSpec jobs) {}
    }

    @Test
    void aClassMayContainPodTemplatesAndStillBeAppliedByKubectl() {
        assertThat(ModelJson.write(Crds.of(Big.class))).hasSizeLessThan(ANNOTATIONS);
    }

    @NullUnmarked
    @ResourceDefinition(group = "example.com", version = "v1")
    static final class Loose extends CustomResource<Loose.Spec, Void> {
        record Spec(String name, int size) {}
    }

    @Test
    void outsideOfNullMarkedCodeNothingIsRequired() {
        V1CustomResourceDefinitionVersion version = Crds.of(Loose.class).getSpec().getVersions().getFirst();
        V1JSONSchemaProps schema = version.getSchema().getOpenAPIV3Schema();

        assertThat(schema.getRequired()).isEmpty();
        assertThat(schema.getProperties().get("spec").getRequired()).isEmpty();
        assertThat(version.getSubresources()).isNull();
        assertThat(version.getAdditionalPrinterColumns()).isEmpty();
    }

    @ResourceDefinition(group = "example.com", version = "v1")
    static final class Dotted extends CustomResource<Dotted.Spec, Void> {
        @Rule(value = "self.min <= self.max", messageExpression = "self.max == 5 ? 'min is over 5' : ''",
                reason = "FieldValueForbidden", fieldPath = ".min")
        record Range(int min, int max) {}

        record Spec(@PrinterColumn("App") @SerializedName("app.kubernetes.io/name") String app,
                @Selectable String color,
                Range range) {}
    }

    private static Dotted dotted(String name, String color, int min) {
        Dotted dotted = new Dotted();
        dotted.getMetadata().namespace("default").name(name);
        dotted.setSpec(new Dotted.Spec("app of " + name, color, new Dotted.Range(min, 5)));
        return dotted;
    }

    @Test
    void columnsOfDottedNamesAndSelectableFieldsAndErrorsOfRulesWork() throws Exception {
        try (TestServer server = TestServer.start()) {
            server.user().create(Crds.of(Dotted.class));
            ResourceClient<Dotted> client = server.client().resource(ResourceTypes.of(Dotted.class), Dotted.class);
            server.user().create(dotted("a", "blue", 1));
            server.user().create(dotted("b", "red", 1));

            assertThat(client.list("default", LabelSelector.everything(), FieldSelector.parse("spec.color=blue"),
                    ListOptions.consistent(0)).items()).extracting(found -> found.getMetadata().getName())
                    .containsExactly("a");
            assertThat(Crds.of(Dotted.class).getSpec().getVersions().getFirst().getAdditionalPrinterColumns()
                    .getFirst().getJsonPath()).isEqualTo(".spec.app\\.kubernetes\\.io/name");
            assertThatThrownBy(() -> client.create(dotted("c", "red", 6)))
                    .hasMessageContaining("spec.range.min: Forbidden: min is over 5");
        }
    }

    static class Refused<S> extends CustomResource<S, Void> {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class Recursive extends Refused<Recursive.Node> {
        record Node(List<Node> children) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class ForeignClass extends Refused<ForeignClass.Spec> {
        record Spec(List<Locale> locales) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class OddKeys extends Refused<OddKeys.Spec> {
        record Spec(Map<Integer, String> names) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class SelfContainedModel extends Refused<SelfContainedModel.Spec> {
        record Spec(V1JSONSchemaProps schema) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class NoNumber extends Refused<NoNumber.Spec> {
        record Spec(@Default("many") int size) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class PatternOfNumber extends Refused<PatternOfNumber.Spec> {
        record Spec(@Matches("a") int size) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class LimitOfFlag extends Refused<LimitOfFlag.Spec> {
        record Spec(@Limits(max = 1) boolean flag) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class NoSuchKey extends Refused<NoSuchKey.Spec> {
        record Item(String id) {}

        record Spec(@ListKeys({"id", "nme"}) List<Item> items) {}
    }

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class ColumnOfList extends Refused<ColumnOfList.Spec> {
        record Item(@PrinterColumn String id) {}

        record Spec(List<Item> items) {}
    }

    @PrinterColumn("Ready")
    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing")
    static final class ColumnOfNothing extends Refused<Object> {}

    @ResourceDefinition(group = "example.com", version = "v1", kind = "Thing", otherVersions = ColumnOfNothing.class)
    static final class TwiceV1 extends Refused<Object> {}

    @ResourceDefinition(group = "example.com", version = "v1", otherVersions = Loose.class)
    static final class TwoKinds extends Refused<Object> {}

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(Recursive.class, "Recursive, .spec.children[]: Node contains itself, which a schema cannot "
                        + "describe: use Object for any JSON"),
                arguments(ForeignClass.class, "ForeignClass, .spec.locales[]: java.util.Locale cannot be described: "
                        + "use a String, a number, a class or record with fields, or Object for any JSON"),
                arguments(OddKeys.class, "OddKeys, .spec.names: a map with keys of java.lang.Integer cannot be "
                        + "described: keys are String or an enum"),
                arguments(SelfContainedModel.class, "SelfContainedModel, .spec.schema: "
                        + "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps contains itself, "
                        + "which a schema cannot describe: use Object for any JSON"),
                arguments(NoNumber.class, "NoNumber, .spec.size: @Default(\"many\") is not JSON of the type integer"),
                arguments(PatternOfNumber.class, "PatternOfNumber, .spec.size: @Matches is for texts, not for integer"),
                arguments(LimitOfFlag.class,
                        "LimitOfFlag, .spec.flag: @Limits needs a number, a text, a list or a map"),
                arguments(NoSuchKey.class,
                        "NoSuchKey, .spec.items: @ListKeys is for lists of objects that have these fields: [nme]"),
                arguments(ColumnOfList.class, "ColumnOfList, .spec.items[].id: @PrinterColumn on a field has no path, "
                        + "and "
                        + "none is possible inside of a list or map"),
                arguments(ColumnOfNothing.class, "ColumnOfNothing: @PrinterColumn on a class needs a title and a path"),
                arguments(TwoKinds.class, "Loose is no other version of TwoKinds: give both the same group, kind, "
                        + "plural and scope"));
    }

    @ParameterizedTest
    @MethodSource
    void refused(Class<? extends KubernetesObject> type, String sentence) {
        assertThatThrownBy(() -> Crds.of(type)).isInstanceOf(IllegalArgumentException.class).hasMessage(sentence);
    }
}
