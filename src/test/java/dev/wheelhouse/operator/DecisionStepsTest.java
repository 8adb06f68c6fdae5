package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.testing.OperatorSimulation;
import dev.wheelhouse.testing.User;
import dev.wheelhouse.world.Yaml;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DecisionStepsTest {
    private static final ResourceType JOBS = ResourceTypes.of(V1Job.class);

    private final Ordered operator = new Ordered();
    private final OperatorWorld world = new OperatorWorld(operator);

    @AfterEach
    void close() {
        world.close();
    }

    /** A Secret, then a Job, then a ConfigMap, unless a test decides otherwise. */
    private static class Ordered implements DecidingOperator<Site> {
        BiFunction<Site, Related, Decision> decision = (site, owned) -> Decision.apply(secret()).then(job())
                .then(map("web")).status(Site.Status.ready(1));

        @Override
        public void setup(Setup<Site> setup) {
            setup.name("ordered").owns(V1Secret.class).owns(V1Job.class).owns(V1ConfigMap.class)
                    .orderedDeletion("example.com/ordered");
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            return decision.apply(site, related);
        }
    }

    /** The example of the page about the library. */
    private static final class Migrated implements DecidingOperator<Site> {
        @Override
        public void setup(Setup<Site> setup) {
            setup.owns(V1Secret.class).owns(V1Job.class).owns(V1ConfigMap.class)
                    .orderedDeletion("example.com/migrated");
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            V1ConfigMap schema = map("schema");
            return Decision.apply(secret(), schema)
                    .readyWhen(schema, stored -> stored.getData().containsKey("version"))
                    .then(job())
                    .then(map("web"));
        }
    }

    @Test
    void theExampleOfThePageIsThatOfThisTest() throws IOException {
        Matcher snippet = Pattern.compile("### In an order.*?```java\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/library.md")));
        assertThat(snippet.find()).isTrue();
        assertThat(Files.readString(Path.of("src/test/java/dev/wheelhouse/operator/DecisionStepsTest.java"))
                .replaceAll("\\s+", "")).contains(snippet.group(1).replaceAll("\\s+", ""));
        assertThat(Operators.descriptor(new Migrated()).name()).isEqualTo("migrated");
        assertThat(new Migrated().decide(new Site(), Related.of(), Instant.EPOCH).steps()).satisfiesExactly(
                first -> assertThat(first).hasOnlyElementsOfTypes(V1Secret.class, V1ConfigMap.class).hasSize(2),
                second -> assertThat(second).hasOnlyElementsOfType(V1Job.class),
                third -> assertThat(third).hasOnlyElementsOfType(V1ConfigMap.class));
    }

    private static V1ObjectMeta named(String name) {
        return new V1ObjectMeta().name(name);
    }

    private static V1Secret secret() {
        return new V1Secret().metadata(named("blog")).putDataItem("key", new byte[]{1});
    }

    private static V1ConfigMap map(String name) {
        return new V1ConfigMap().metadata(named(name)).data(Map.of("k", "v"));
    }

    private static V1Job job() {
        return new V1Job().metadata(named("blog")).spec(new V1JobSpec().template(new V1PodTemplateSpec().spec(
                new V1PodSpec().restartPolicy("Never").addContainersItem(new V1Container().name("a").image("a")))));
    }

    private void createBlog() {
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        world.settle();
    }

    private void completeJob() {
        V1Job complete = Yaml.read("""
                {status: {startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:01Z", succeeded: 1,
                 uncountedTerminatedPods: {}, conditions: [
                  {type: SuccessCriteriaMet, status: "True", reason: CompletionsReached},
                  {type: Complete, status: "True", reason: CompletionsReached}]}}""", V1Job.class);
        world.cluster.edit(JOBS, V1Job.class, BLOG, job -> job.setStatus(complete.getStatus()));
        world.settle();
    }

    private List<String> plan() {
        return world.controller.plan(SITES.groupResource(), BLOG).orElseThrow().stream().map(action -> switch (action) {
            case Action.Write write -> write.verb() + " " + write.type() + " " + write.target();
            case Action.Wait wait -> "wait for " + wait.type() + " " + wait.target() + ": " + wait.why();
            case Action.RequeueAfter after -> "look again after " + after.delay();
            default -> action.toString();
        }).toList();
    }

    @Test
    void aStepWaitsForTheObjectsOfTheStepsBeforeAndSaysSoInThePlan() {
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        world.cluster.deliver();
        assertThat(plan()).containsExactly("patch sites.example.com default/blog", "apply secrets default/blog",
                "apply jobs.batch default/blog", "wait for jobs.batch default/blog: not complete",
                "patch_status sites.example.com default/blog", "look again after PT1M");
        world.settle();
        assertThat(world.writes()).containsExactly("patch sites.example.com default/blog",
                "apply secrets default/blog", "apply jobs.batch default/blog",
                "patch sites.example.com/status default/blog");
        assertThat(plan()).containsExactly("wait for jobs.batch default/blog: not complete",
                "look again after PT1M");
        completeJob();
        assertThat(world.writes()).containsExactly("apply configmaps default/web");
        assertThat(plan()).isEmpty();
    }

    @Test
    void whatExistsOfLaterStepsStaysWhileAnEarlierStepWaitsAndNothingIsDeleted() {
        operator.decision = (site, owned) -> Decision.apply(secret()).then(map("web"), map("old"));
        createBlog();
        operator.decision = (site, owned) -> Decision.apply(secret()).then(job()).then(map("web"));
        world.writes();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.settle();
        assertThat(world.writes()).containsExactly("apply jobs.batch default/blog");
        completeJob();
        assertThat(world.writes()).as("the step of web has changed").containsExactly("apply configmaps default/web",
                "delete configmaps default/old");
    }

    @Test
    void anOwnSenseOfReadyIsAFunctionOfTheStoredObject() {
        operator.decision = (site, owned) -> {
            V1ConfigMap first = map("first");
            return Decision.apply(first).readyWhen(first, stored -> stored.getData().containsKey("filled"))
                    .then(map("web"));
        };
        createBlog();
        assertThat(plan()).contains("wait for configmaps default/first: it is not ready");
        world.writes();
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "first"),
                first -> first.putDataItem("filled", "yes"));
        world.settle();
        assertThat(world.writes()).containsExactly("apply configmaps default/web");
        assertThatThrownBy(() -> Decision.apply(map("a")).readyWhen(map("a"), stored -> true))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("does not want");
    }

    @Test
    void whatIsNotWantedAnyMoreIsDeletedInReverseOrderEachStepOnceTheNextIsGone() {
        operator.decision = (site, owned) -> Decision.apply(secret()).then(map("b")).then(map("c"));
        createBlog();
        operator.decision = (site, owned) -> Decision.deleteAll();
        world.restart();
        world.writes();
        world.settle();
        assertThat(world.writes()).containsExactly("delete configmaps default/c");
        assertThat(plan()).containsExactly(
                "wait for configmaps default/c: it has to be gone before the others are deleted",
                "look again after PT1M");
        world.cluster.remove(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "c"));
        world.settle();
        assertThat(world.writes()).containsExactly("delete configmaps default/b");
        world.cluster.remove(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "b"));
        world.settle();
        assertThat(world.writes()).containsExactly("delete secrets default/blog");
    }

    @Test
    void thePrimaryObjectGoesLastIfItsDeletionIsOrdered() {
        operator.decision = (site, owned) -> Decision.apply(secret()).then(map("b"));
        createBlog();
        world.cluster.delete(SITES, BLOG);
        world.writes();
        world.settle();
        assertThat(world.writes()).containsExactly("delete configmaps default/b");
        world.cluster.remove(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "b"));
        world.settle();
        assertThat(world.writes()).containsExactly("delete secrets default/blog",
                "patch sites.example.com default/blog");
        assertThat(world.cluster.exists(SITES, BLOG)).isFalse();
    }

    @Test
    void noCrashStaleCacheOrSecondLeaderBreaksTheOrder() {
        List<String> broken = new ArrayList<>();
        OperatorSimulation.of(() -> new Chain(broken)).crds(Site.class).seeds(1).patience(Duration.ofMinutes(5))
                .within(Duration.ofSeconds(10))
                .step("creates a site", user -> user.create("""
                        {apiVersion: example.com/v1, kind: Site, metadata: {name: blog}, spec: {replicas: 3}}"""))
                .step("lets the first be ready", user -> readies(user, "a"))
                .step("lets the second be ready", user -> readies(user, "b"))
                .step("wants fewer", user -> user.edit(Site.class, "default", "blog",
                        site -> site.setSpec(new Site.Spec(null, 1, null))))
                .step("deletes the site", user -> user.delete(Site.class, "default", "blog"))
                .run();
        assertThat(broken).isEmpty();
    }

    private static void readies(User user, String name) {
        user.edit(V1ConfigMap.class, "default", name, map -> map.getMetadata().putLabelsItem("ready", "true"));
    }

    /** The ConfigMaps a, b and c, each after the one before is ready. At any time, those that exist are the first. */
    private static final class Chain implements DecidingOperator<Site> {
        private final List<String> broken;

        Chain(List<String> broken) {
            this.broken = broken;
        }

        @Override
        public void setup(Setup<Site> setup) {
            setup.name("chain").owns(V1ConfigMap.class).finalizer("example.com/chain", (request, context) -> {
                check("deletion", context.related());
                return context.execute(Decision.deleteAll());
            });
        }

        private void check(String when, Related related) {
            List<String> names = related.all(V1ConfigMap.class).stream().map(map -> map.getMetadata().getName())
                    .toList();
            if (!names.equals(List.of("a", "b", "c").subList(0, names.size()))) {
                broken.add(when + " " + names);
            }
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            check("decision", related);
            Decision decision = Decision.deleteAll();
            for (String name : List.of("a", "b", "c").subList(0, site.getSpec().replicas())) {
                V1ConfigMap map = map(name);
                decision.then(map).readyWhen(map, stored -> stored.getMetadata().getLabels() != null
                        && stored.getMetadata().getLabels().containsKey("ready"));
            }
            return decision;
        }
    }
}
