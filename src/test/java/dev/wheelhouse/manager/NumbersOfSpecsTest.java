package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1Node;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Objects with the largest numbers and times of their types, as a server without validation may have them. */
class NumbersOfSpecsTest {
    private static final String TEMPLATE = """
            {metadata: {labels: {app: %1$s}}, spec: {terminationGracePeriodSeconds: 9223372036854775807,
             activeDeadlineSeconds: 9223372036854775807, tolerations: [{operator: Exists, effect: NoExecute,
             tolerationSeconds: 9223372036854775807}], containers: [{name: a, image: app, resources: {requests:
             {cpu: '1e100', memory: 1Ei}}}]}}""";

    private final Cluster cluster = new Cluster(ResourceType.PODS, ResourceType.JOBS);
    private final AllControllers all = new AllControllers(cluster, cluster.context());

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void noNumberAndNoTimeFailsTheSyncsOfItsObject() {
        all.settle();
        all.store("largest-numbers.yaml", text -> Pattern.compile("\\$template\\((\\w+)\\)").matcher(text)
                .replaceAll(label -> TEMPLATE.formatted(label.group(1))));
        all.settle();
        cluster.clock.advance(Duration.ofMinutes(5));
        all.settle();
        // The server refuses some of the writes, because it would not have accepted these objects.
        assertThat(all.failures().values())
                .allMatch(failure -> failure.contains(": 422 ") || failure.contains(": 403 "));
        assertThat(cluster.all(ResourceType.NODES, V1Node.class)).filteredOn(n -> n.getMetadata().getName().equals("m"))
                .singleElement().satisfies(m -> assertThat(m.getSpec().getTaints()).isNotEmpty());
    }
}
