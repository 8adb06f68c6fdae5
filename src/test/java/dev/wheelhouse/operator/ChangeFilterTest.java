package dev.wheelhouse.operator;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Result;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;

/** The changes that reach an operator, whatever its filters say. */
class ChangeFilterTest {
    static final List<ChangeFilter<Site>> FILTERS = List.of(ChangeFilter.labelsChanged(),
            ChangeFilter.annotationsChanged(), (before, after) -> before == null, (before, after) -> after != null);

    static final List<Throwable> THROWN = List.of(new IllegalStateException("a filter's bug"),
            new IOException("which Kotlin does not declare"), new NoClassDefFoundError("x"),
            new StackOverflowError("too deep"), new NotImplemented());

    private @Nullable OperatorWorld running;

    /** An error of another language's library. */
    static final class NotImplemented extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Throws anything without declaring it, as other languages may. */
    @SuppressWarnings("unchecked")
    static <E extends Throwable> RuntimeException thrown(Throwable e) throws E {
        throw (E) e;
    }

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld runWithBlog(Scripted operator) {
        running = new OperatorWorld(operator);
        running.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        return running.settle();
    }

    private static void applyMap(Scripted operator) {
        operator.does((request, context) -> context.apply(
                new V1ConfigMap().metadata(new V1ObjectMeta().name("blog")).data(Map.of("a", "b"))));
    }

    @ParameterizedTest
    @FieldSource("FILTERS")
    void noFilterKeepsADeletionFromTheCleanUpAndFromTheOperatorsMemory(ChangeFilter<Site> filter) {
        Scripted operator = new Scripted(setup -> setup.primary(site -> site.when(filter)).owns(V1ConfigMap.class)
                .finalizer("example.com/site", (request, context) -> Result.done()));
        applyMap(operator);
        OperatorWorld world = runWithBlog(operator);
        world.cluster.delete(SITES, BLOG);
        world.settle();
        assertThat(world.cluster.exists(SITES, BLOG)).isFalse();
        assertThat(((OperatorController<?>) world.controller).applied.get(BLOG,
                new Applied.Target(ResourceType.CONFIG_MAPS, BLOG, ""))).isNull();
    }

    @ParameterizedTest
    @FieldSource("FILTERS")
    void anObjectWhoseDeletionBeganBeforeTheProcessIsCleanedUpToo(ChangeFilter<Site> filter) {
        Scripted operator = new Scripted(
                setup -> setup.primary(site -> site.when(filter.and((before, after) -> before != null)))
                        .finalizer("example.com/site", (request, context) -> Result.done()));
        running = new OperatorWorld(operator);
        running.createSite("{metadata: {name: blog, namespace: default, finalizers: [example.com/site]}}");
        running.cluster.delete(SITES, BLOG);
        running.settle();
        assertThat(running.cluster.exists(SITES, BLOG)).isFalse();
    }

    @ParameterizedTest
    @FieldSource("THROWN")
    void aFilterThatThrowsAnythingLetsTheChangePass(Throwable e) {
        Scripted operator = new Scripted(setup -> setup.primary(site -> site.when((before, after) -> {
            throw ChangeFilterTest.<RuntimeException>thrown(e);
        })));
        runWithBlog(operator);
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void everyChangeOfAnObjectWithoutAGenerationCounts() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class,
                map -> map.when(ChangeFilter.generationChanged())));
        applyMap(operator);
        OperatorWorld world = runWithBlog(operator);
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, BLOG, map -> map.putDataItem("a", "c"));
        world.settle();
        assertThat(world.json(ResourceType.CONFIG_MAPS).at("/data/a").asString()).isEqualTo("b");
    }
}
