package dev.wheelhouse.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.meters.Meters;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Isolated
class DecidingOperatorTest {
    private final OperatorWorld world = new OperatorWorld(new SiteOperator());

    @AfterEach
    void close() {
        world.close();
    }

    private void createBlog() {
        world.createSite(
                """
                        {metadata: {name: blog, namespace: default}, spec: {image: "blog:1", replicas: 2,
                        hosts: [a.example]}}""");
    }

    @Test
    void appliesTheDesiredObjectsWithTheirOwnerAndWritesTheStatus() {
        createBlog();
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog",
                "apply configmaps default/blog", "patch sites.example.com/status default/blog");
        Site site = world.cluster.read(SITES, BLOG, Site.class);
        assertThat(world.json(ResourceType.DEPLOYMENTS).at("/metadata/ownerReferences/0")).hasToString("""
                {"apiVersion":"example.com/v1","blockOwnerDeletion":true,"controller":true,"kind":"Site",\
                "name":"blog","uid":"%s"}""".formatted(site.getMetadata().getUid()));
        assertThat(world.json(SITES).at("/status/conditions/0/message").asString()).isEqualTo("0 of 2 are ready");
        assertThat(world.json(SITES).at("/status/conditions/0/observedGeneration").asInt()).isEqualTo(1);
    }

    @Test
    void writesNothingWhereNothingChanges() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                deployment -> deployment.getMetadata().putLabelsItem("somebody", "else"));
        world.settle();
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void deletesWhatIsNotWantedAnyMore() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("blog:1", 2, null)));
        world.settle();
        assertThat(world.writes()).contains("delete configmaps default/blog");
        assertThat(world.read(ResourceType.CONFIG_MAPS, V1ConfigMap.class)).isNull();
    }

    @Test
    void takesBackFieldsThatOthersChange() {
        createBlog();
        world.settle();
        world.writes();
        world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                deployment -> deployment.getSpec().setReplicas(7));
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog");
        assertThat(world.json(ResourceType.DEPLOYMENTS).at("/spec/replicas").asInt()).isEqualTo(2);
    }

    @Test
    void anotherClientThatChangesTheSameFieldAgainAndAgainIsReported() {
        createBlog();
        world.settle();
        try (Logged log = Logged.by(Applied.class.getName())) {
            for (int i = 0; i < 10; i++) {
                int replicas = 7 + i;
                world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                        deployment -> deployment.getSpec().setReplicas(replicas));
                world.settle();
            }
            assertThat(log.lines()).containsExactly("WARN site-operator: other "
                    + "clients have changed deployments.apps default/blog 10 times, and each time it was applied again "
                    + "(spec.replicas: 16 becomes 2): leave out of the wanted object the fields that others set");
        }
    }

    @Test
    void thePlanShowsWhatItWouldDoAndWritesNothing() {
        createBlog();
        world.cluster.deliver();
        assertThat(world.controller.plans()).isTrue();
        assertThat(plan()).extracting(action -> ((Action.Write) action).verb() + " "
                + ((Action.Write) action).target()).containsExactly("apply default/blog", "apply default/blog",
                        "patch_status default/blog");
        assertThat(world.writes()).isEmpty();
        world.settle();
        world.restart();
        world.cluster.deliver();
        assertThat(plan()).as("all is as decided").isEmpty();
        world.cluster.edit(ResourceType.DEPLOYMENTS, V1Deployment.class, BLOG,
                deployment -> deployment.getSpec().setReplicas(7));
        world.cluster.deliver();
        assertThat(plan()).singleElement()
                .satisfies(action -> assertThat(((Action.Write) action).why()).isEqualTo("spec.replicas: 7 becomes 2"));
    }

    @Test
    void aPlanOfADecisionThatFailsIsTheFailure() {
        class FailingOperator extends SiteOperator {
            @Override
            public Decision decide(Site site, Related related, Instant now) {
                throw new AssertionError("no image");
            }
        }
        try (OperatorWorld broken = new OperatorWorld(new FailingOperator())) {
            broken.createSite("{metadata: {name: blog, namespace: default}}");
            broken.cluster.deliver();
            assertThatThrownBy(() -> broken.controller.plan(SITES.groupResource(), BLOG))
                    .hasMessageEndingWith(" for default/blog failed: java.lang.AssertionError: no image");
        }
    }

    private List<Action> plan() {
        return world.controller.plan(SITES.groupResource(), BLOG).orElseThrow();
    }

    @Test
    void aServiceThatObservesPlansAndWritesNothing() {
        List<String> planned = new ArrayList<>();
        ControllerMetrics metrics = new ControllerMetrics(Meters.NONE) {
            @Override
            public void planned(String controller, String verb, ResourceType type) {
                planned.add(controller + " " + verb + " " + type);
            }
        };
        world.restart(() -> world.cluster.context(new ControllerContext.Settings((name, preset) -> 1,
                Parallel.inOrder(), name -> true, name -> true, metrics)));
        createBlog();
        world.settle();
        assertThat(planned).containsExactly("site-operator apply deployments.apps", "site-operator apply configmaps",
                "site-operator patch_status sites.example.com");
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void eventsAndRequeueingAreCarriedOut() {
        List<Instant> times = new ArrayList<>();
        OperatorWorld timed = new OperatorWorld(new Timed(times));
        timed.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        timed.settle();
        timed.settle(Duration.ofMinutes(1).minusNanos(1));
        assertThat(times).hasSize(1);
        timed.settle(Duration.ofMinutes(1));
        assertThat(times).hasSize(2);
        assertThat(timed.cluster.eventTexts()).contains("Warning Late it is late");
        timed.close();
    }

    static class Timed implements DecidingOperator<Site> {
        private final List<Instant> times;

        Timed(List<Instant> times) {
            this.times = times;
        }

        @Override
        public void setup(Setup<Site> setup) {}

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            times.add(now);
            Decision decision = Decision.keep().event(EventType.WARNING, "Late", "it is late");
            return times.size() == 1 ? decision.requeueAfter(Duration.ofMinutes(1)) : decision;
        }
    }

    @Test
    void aNewProcessSendsNothingForWhatAnEarlierOneApplied() {
        for (int i = 0; i < 500; i++) {
            world.createSite(
                    "{metadata: {name: site-%d, namespace: default}, spec: {image: a, replicas: 1, hosts: [a]}}"
                            .formatted(i));
        }
        world.settle();
        assertThat(world.writes()).hasSize(1500);
        world.restart();
        world.settle();
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void aNewProcessRemovesWhatItDoesNotWantAnyMoreAndTakesBackWhatOthersChanged() {
        createBlog();
        world.settle();
        world.restart(new SiteOperator() {
            @Override
            public Decision decide(Site site, Related related, Instant now) {
                Decision decision = super.decide(site, related, now);
                decision.objects().forEach(object -> {
                    if (object instanceof V1Deployment deployment) {
                        deployment.getSpec().setReplicas(null);
                    } else if (object instanceof V1ConfigMap map) {
                        map.setData(Map.of("hosts", "b.example"));
                    }
                });
                return decision;
            }

            @Override
            public void setup(Setup<Site> setup) {
                super.setup(setup.name("site-operator"));
            }
        });
        world.writes();
        world.settle();
        assertThat(world.writes()).containsExactly("apply deployments.apps default/blog",
                "apply configmaps default/blog");
        assertThat(world.json(ResourceType.CONFIG_MAPS).at("/data/hosts").asString()).isEqualTo("b.example");
    }
}
