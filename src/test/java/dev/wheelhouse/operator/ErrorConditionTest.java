package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Requests;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The failures of an operator's calls: those that are told, those that are none, and the write that tells them. */
@Isolated
class ErrorConditionTest {
    static final List<Throwable> THROWN = ChangeFilterTest.THROWN;

    private final List<Integer> seen = new ArrayList<>();
    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld world(Scripted operator) {
        running = new OperatorWorld(operator);
        return running;
    }

    private static void createBlog(OperatorWorld world) {
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
    }

    private OperatorWorld runWithBlog(Scripted operator) {
        createBlog(world(operator));
        return running.settle();
    }

    private static String condition(OperatorWorld world) {
        var condition = world.json(SITES).at("/status/conditions/0");
        return condition.path("status").asString("") + " " + condition.path("reason").asString("") + " "
                + condition.path("message").asString("null");
    }

    @Test
    void aSuccessLeavesTheConditionThatTheOperatorHasSetItself() {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"), (request, context) -> {
            context.condition("Synced", false, "Starting", "Not yet.");
            return Result.done();
        });
        assertThat(condition(runWithBlog(operator))).isEqualTo("False Starting Not yet.");
    }

    @ParameterizedTest
    @FieldSource("THROWN")
    void whateverACallThrowsIsTold(Throwable e) {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"), (request, context) -> {
            throw ChangeFilterTest.<RuntimeException>thrown(e);
        });
        assertThat(condition(runWithBlog(operator))).isEqualTo("False Failed " + e);
    }

    static List<Arguments> textsThatAreMissing() {
        return List.of(arguments((Scripted.Script) (request, context) -> Result.terminal(null), "False Refused "),
                arguments((Scripted.Script) (request, context) -> Result.requeueAfter(null), "False Failed "
                        + "java.lang.NullPointerException: requeueAfter needs a delay: return done() for none"),
                arguments((Scripted.Script) (request, context) -> Result.retry(null), "False Failed "
                        + "java.lang.NullPointerException: retry needs its cause: return requeue() for none"),
                arguments((Scripted.Script) (request, context) -> context.execute(
                        Decision.keep().event(EventType.WARNING, "Failed", null)), "True Reconciled "),
                arguments((Scripted.Script) (request, context) -> context.execute(
                        Decision.keep().condition("First", false, "Failed", null)), "False Failed "));
    }

    @ParameterizedTest
    @MethodSource("textsThatAreMissing")
    void anExceptionWithoutAMessageIsNoTrouble(Scripted.Script script, String told) {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"), script);
        assertThat(condition(runWithBlog(operator))).isEqualTo(told);
    }

    /** Delivers the event of each write before the answer to it. */
    private static void deliverFirst(OperatorWorld world) {
        world.cluster.requests.fault(new Requests.Fault() {
            @Override
            public @Nullable KubeApiException before(String verb, ResourceType type, ObjectKey key) {
                return null;
            }

            @Override
            public @Nullable KubeApiException after(String verb, ResourceType type, ObjectKey key) {
                world.cluster.deliver();
                return null;
            }
        });
    }

    @Test
    void tellingAFailureLeadsToNoCallAlsoIfTheWatchIsFasterThanTheAnswer() {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"));
        operator.does((request, context) -> {
            throw new IllegalStateException("attempt " + operator.calls.size());
        });
        OperatorWorld world = world(operator);
        deliverFirst(world);
        createBlog(world);
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void tellingASuccessLeadsToNoCallEither() {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"));
        runWithBlog(operator);
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @ParameterizedTest
    @FieldSource("THROWN")
    void aChangeOfAnotherClientDuringACallIsNotTakenForTheOperatorsOwn(Throwable e) {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"));
        operator.does((request, context) -> {
            seen.add(request.primary().getSpec().replicas());
            if (seen.size() == 1) {
                context.status(Site.Status.ready(7));
                running.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("a", 2, null)));
                running.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("a", 3, null)));
            }
            throw ChangeFilterTest.<RuntimeException>thrown(e);
        });
        OperatorWorld world = world(operator);
        deliverFirst(world);
        createBlog(world);
        world.settle();
        assertThat(seen).startsWith(1).endsWith(3);
    }

    // ---- what is no failure

    @Test
    void anObjectThatIsDeletedDuringACallIsNoFailure() {
        Scripted operator = new Scripted(
                setup -> setup.name("calm-operator").errorCondition("Synced").finalizer("example.com/site",
                        (request, context) -> Result.done()));
        try (Logged log = Logged.by(Worker.class.getName())) {
            operator.does((request, context) -> {
                running.cluster.remove(SITES, BLOG);
                context.status(Site.Status.ready(3));
            });
            OperatorWorld world = runWithBlog(operator);
            createBlog(world);
            world.cluster.deliver();
            world.cluster.remove(SITES, BLOG);
            Cluster.work(world.controller.loops());
            world.settle();
            assertThat(log.lines()).noneMatch(line -> line.contains("calm-operator"));
        }
    }

    @Test
    void aStatusThatTheDefinitionLacksIsOne() {
        Scripted operator = new Scripted(setup -> setup.name("sad-operator"));
        operator.does((request, context) -> context.status(Site.Status.ready(3)));
        OperatorWorld world = world(operator);
        world.cluster.requests.failNext("patch sites.example.com/status", 404, "NotFound", "no such status");
        try (Logged log = Logged.by(Worker.class.getName())) {
            createBlog(world);
            world.settle();
            assertThat(log.lines()).anyMatch(line -> line.startsWith("WARN sad-operator: ")
                    && line.endsWith("404 NotFound: no such status"));
        }
    }

    @Test
    void anObjectWhoseNamespaceEndsIsNoFailure() {
        Scripted operator = new Scripted(
                setup -> setup.name("calm-operator").errorCondition("Synced").owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            if (request.primary().getSpec().replicas() == 2) {
                context.apply(new V1ConfigMap().metadata(new V1ObjectMeta().name("blog")).data(Map.of("a", "b")));
            }
        });
        try (Logged log = Logged.by(Worker.class.getName())) {
            OperatorWorld world = world(operator);
            world.cluster.create(ResourceType.NAMESPACES, V1Namespace.class, "{metadata: {name: gone}}");
            world.createSite("{metadata: {name: blog, namespace: gone}, spec: {image: a, replicas: 1}}");
            world.settle();
            world.cluster.delete(ResourceType.NAMESPACES, ObjectKey.cluster("gone"));
            ObjectKey blog = ObjectKey.of("gone", "blog");
            world.cluster.edit(SITES, Site.class, blog, site -> site.setSpec(new Site.Spec("a", 2, null)));
            world.settle();
            assertThat(world.writes()).contains("apply configmaps gone/blog");
            assertThat(world.cluster.json(SITES, blog).at("/status/conditions/0/status").asString()).isEqualTo("True");
            assertThat(log.lines()).noneMatch(line -> line.contains("calm-operator"));
        }
    }
}
