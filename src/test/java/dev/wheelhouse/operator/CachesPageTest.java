package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.controller.Result;

import static org.assertj.core.api.Assertions.assertThat;

/** The code of the page about caches is that of this class, and what it says about rights is what is generated. */
class CachesPageTest {
    private static final Path PAGE = Path.of("docs/caches.md");
    private static final Path SOURCE = Path.of("src/test/java/dev/wheelhouse/operator/CachesPageTest.java");

    private record Spec(String image, List<String> clusters) {}

    private static Spec spec(Site site) {
        Site.Spec spec = Objects.requireNonNull(site.getSpec());
        return new Spec(String.valueOf(spec.image()), Objects.requireNonNull(spec.hosts()));
    }

    private static V1ConfigMap settings(Spec spec) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name("settings")).data(Map.of("image", spec.image()));
    }

    private static void hub(Setup<Site> setup) {
        setup.name("hub").finalizer((request, context) -> Result.done())
                .clusters(ClusterSecrets.ofClusterApi("fleet").owns(V1ConfigMap.class));
    }

    private static void everywhere(Spec spec, Context<Site> context) {
        for (String name : context.clusters()) {
            List<V1ConfigMap> wanted = spec.clusters().contains(name) ? List.of(settings(spec)) : List.of();
            wanted.forEach(context.cluster(name)::apply);
            context.cluster(name).prune(wanted);
        }
    }

    private static int count(Context<Site> context) {
        List<V1Pod> pods = context.view().list(V1Pod.class, "", LabelSelector.everything());
        List<V1Pod> mine = context.related().view().all(V1Pod.class);
        return pods.size() + mine.size();
    }

    private static void limits(Setup<Site> setup, List<String> names) {
        setup.primary(it -> it.namespaces("red", "blue"));
        setup.namespaces(LabelSelector.parse("tenant=yes"));
        setup.owns(V1Secret.class, it -> it.bounded(500));
        setup.owns(V1ConfigMap.class, it -> it.boundedBytes(50_000_000));
        setup.watches(V1Secret.class, secret -> List.of(), it -> it.metadataOnly());
        setup.watches(V1Pod.class, pod -> List.of(), it -> it.trim(pod -> pod.status(null)));
        assertThat(names).isEmpty();
    }

    private static String squeezed(Path file) throws IOException {
        return Files.readString(file).replaceAll("\\s+", "");
    }

    @Test
    void itsBlocksAreTheCodeOfThisClass() throws IOException {
        List<String> blocks = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(PAGE))
                .results().map(match -> match.group(1).replaceAll("\\s+", "")).toList();
        String source = squeezed(SOURCE);
        assertThat(blocks).hasSize(3).allSatisfy(block -> assertThat(source).contains(block));
        assertThat(Pattern.compile("\\| `((?:setup|it)\\.[^`]*\\))`").matcher(Files.readString(PAGE)).results()
                .map(match -> match.group(1).replaceAll("\\s+", "")).toList()).hasSizeGreaterThan(5)
                .filteredOn(line -> !line.contains("->names")).allSatisfy(line -> assertThat(source).contains(line));
    }

    @Test
    void whatItDeclaresCanWork() {
        List<String> seen = List.of();
        Scripted declared = new Scripted(setup -> limits(setup, seen));
        declared.does((request, context) -> assertThat(count(context)).isZero());
        assertThat(Declaration.of(declared).namespaces()).isNotNull();
        Scripted hub = new Scripted(CachesPageTest::hub);
        hub.does((request, context) -> everywhere(spec(request.primary()), context));
        assertThat(Declaration.of(hub).clusters()).isNotNull();
        assertThat(Manifests.of(hub).yaml()).contains("namespace: fleet");
    }

    @Test
    void theRoleThatItBindsIsGenerated() throws IOException {
        Scripted operator = new Scripted(
                setup -> setup.name("website-operator").namespaces(LabelSelector.parse("tenant=yes")));
        assertThat(Manifests.of(operator).yaml()).contains("name: website-operator-namespaces\n");
        assertThat(Files.readString(PAGE)).contains("--clusterrole=website-operator-namespaces");
    }
}
