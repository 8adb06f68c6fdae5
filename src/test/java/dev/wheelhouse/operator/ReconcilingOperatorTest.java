package dev.wheelhouse.operator;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.controller.Parallel;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.Requests;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

class ReconcilingOperatorTest {
    private static final ResourceType GADGETS = new ResourceType("example.com", "v1", "gadgets", "Gadget", true);

    private @Nullable OperatorWorld running;

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private OperatorWorld run(Operator<?> operator) {
        running = new OperatorWorld(operator);
        return running;
    }

    /** Runs an operator until it has seen the site blog. */
    private OperatorWorld runWithBlog(Operator<?> operator) {
        OperatorWorld world = run(operator);
        createBlog(world);
        return world.settle();
    }

    private static V1ConfigMap configMap(String name, String value) {
        return new V1ConfigMap().metadata(new V1ObjectMeta().name(name).namespace("default")).data(Map.of("k", value));
    }

    private static void createBlog(OperatorWorld world) {
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
    }

    // ---- which changes lead to a call

    @Test
    void aChangeOfAnOwnedObjectReconcilesItsOwner() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        OperatorWorld world = runWithBlog(operator);
        Site site = world.cluster.read(SITES, BLOG, Site.class);
        V1ConfigMap owned = configMap("a", "1");
        owned.getMetadata().addOwnerReferencesItem(OwnerReferences.controllerReference(SITES, site.getMetadata()));
        assertThat(operator.takeCalls()).containsExactly("blog");
        world.cluster.create(ResourceType.CONFIG_MAPS, owned);
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("b", "1"));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
        world.cluster.delete(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "a"));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void aChangeOfAWatchedObjectReconcilesThoseThatItNamedAndThoseThatItNames() {
        List<String> seen = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.watches(V1ConfigMap.class,
                map -> map.getData() == null
                        ? List.of()
                        : List.of(ObjectKey.of("default", map.getData().getOrDefault("k", "none")))));
        operator.does((request, context) -> {
            seen.add(request.key().name() + " "
                    + context.related().all(V1ConfigMap.class).stream().map(map -> map.getMetadata().getName())
                            .toList());
        });
        OperatorWorld world = run(operator);
        createBlog(world);
        world.createSite("{metadata: {name: shop, namespace: default}}");
        world.settle();
        seen.clear();
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("settings", "blog"));
        world.settle();
        assertThat(seen).containsExactly("blog [settings]");
        seen.clear();
        world.cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, ObjectKey.of("default", "settings"),
                map -> map.putDataItem("k", "shop"));
        world.settle();
        assertThat(seen).containsExactlyInAnyOrder("blog []", "shop [settings]");
    }

    @Test
    void aMappingThatThrowsLeavesOutThatObjectOnly() {
        Scripted operator = new Scripted(setup -> setup.watches(V1ConfigMap.class,
                map -> List.of(ObjectKey.of("default", Objects.requireNonNull(map.getData()).get("k")))));
        OperatorWorld world = runWithBlog(operator);
        operator.takeCalls();
        world.cluster.create(ResourceType.CONFIG_MAPS, new V1ConfigMap()
                .metadata(new V1ObjectMeta().name("bad").namespace("default")));
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("good", "blog"));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void aFunctionThatReturnsNullOrRunsOutOfStackLeavesOutThatObjectOnly() {
        List<Function<V1ConfigMap, Collection<String>>> functions = List.of(map -> null,
                map -> Arrays.asList("shown", null), map -> {
                    throw new StackOverflowError();
                });
        for (Function<V1ConfigMap, Collection<String>> odd : functions) {
            Function<V1ConfigMap, Collection<String>> values = map -> map.getMetadata().getName().equals("bad")
                    ? odd.apply(map)
                    : List.of("shown");
            List<String> shown = new ArrayList<>();
            Scripted operator = new Scripted(setup -> setup.index("shown", V1ConfigMap.class, values)
                    .watches(V1ConfigMap.class, map -> {
                        Collection<String> mapped = values.apply(map);
                        return mapped == null ? null : mapped.stream().map(any -> BLOG).toList();
                    }));
            operator.script = (request, context) -> {
                shown.clear();
                context.indexed(V1ConfigMap.class, "shown", "shown").stream().map(map -> map.getMetadata().getName())
                        .filter(name -> !name.startsWith("kube-")).forEach(shown::add);
                return Result.done();
            };
            try (OperatorWorld world = new OperatorWorld(operator)) {
                world.cluster.create(ResourceType.CONFIG_MAPS, configMap("bad", "blog"));
                world.cluster.create(ResourceType.CONFIG_MAPS, configMap("good", "blog"));
                createBlog(world);
                world.settle();
                assertThat(shown).containsExactly("good");
            }
        }
    }

    @Test
    void filtersNarrowTheChangesThatCount() {
        Scripted operator = new Scripted(setup -> setup.primary(site -> site.when(ChangeFilter.generationChanged())));
        OperatorWorld world = runWithBlog(operator);
        assertThat(operator.takeCalls()).containsExactly("blog");
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.settle();
        assertThat(operator.takeCalls()).isEmpty();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("b", 1, null)));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void namespacesLabelsAndFieldsLimitWhatIsCached() {
        Scripted operator = new Scripted(setup -> setup
                .primary(site -> site.namespaces("default", "kube-system").labels("tier=web"))
                .watches(V1Secret.class, secret -> List.of(BLOG), secrets -> secrets.fields("type=Opaque")));
        OperatorWorld world = run(operator);
        world.createSite("{metadata: {name: blog, namespace: default, labels: {tier: web}}}");
        world.createSite("{metadata: {name: other, namespace: default, labels: {tier: db}}}");
        world.createSite("{metadata: {name: elsewhere, namespace: kube-public, labels: {tier: web}}}");
        world.createSite("{metadata: {name: system, namespace: kube-system, labels: {tier: web}}}");
        world.settle();
        assertThat(operator.takeCalls()).containsExactlyInAnyOrder("blog", "system");
        world.cluster.create(ResourceType.SECRETS, V1Secret.class,
                "{metadata: {name: a, namespace: default}, type: example.com/other}");
        world.settle();
        assertThat(operator.takeCalls()).isEmpty();
        world.cluster.create(ResourceType.SECRETS, V1Secret.class,
                "{metadata: {name: b, namespace: default}, type: Opaque}");
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void aResyncReconcilesEveryObjectWithoutAChange() {
        Scripted operator = new Scripted(setup -> setup.resync(Duration.ofMinutes(10))
                .primary(site -> site.when(ChangeFilter.generationChanged())));
        OperatorWorld world = runWithBlog(operator);
        operator.takeCalls();
        world.cluster.clock.advance(Duration.ofMinutes(11));
        world.settle();
        assertThat(operator.takeCalls()).containsExactly("blog");
    }

    @Test
    void typesWithoutAClassAndMetadataAloneAreReadToo() {
        List<Object> seen = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup
                .watches(GADGETS, gadget -> List.of(ObjectKey.of("default", gadget.getString("spec", "site"))),
                        all -> {})
                .watchesMetadata(ResourceType.SECRETS, secret -> List.of(BLOG), all -> {}));
        operator.does((request, context) -> {
            context.related().all(GADGETS).forEach(gadget -> seen.add(gadget.getMetadata().getName()));
            context.get(GADGETS, ObjectKey.of("default", "g")).ifPresent(gadget -> seen.add(gadget.get("spec")));
            context.related().metadata(ResourceType.SECRETS)
                    .forEach(secret -> seen.add(secret.getMetadata().getName()));
        });
        running = new OperatorWorld(operator, world -> world.define(GADGETS));
        OperatorWorld world = running;
        world.cluster.create(GADGETS, Unstructured.class, "{apiVersion: example.com/v1, kind: Gadget, "
                + "metadata: {name: g, namespace: default}, spec: {site: blog}}");
        world.cluster.create(ResourceType.SECRETS, V1Secret.class, "{metadata: {name: s, namespace: default}}");
        createBlog(world);
        world.settle();
        assertThat(seen.subList(seen.size() - 3, seen.size())).containsExactly("g", Map.of("site", "blog"), "s");
    }

    @Test
    void anIndexFindsObjectsByTheirValues() {
        List<String> found = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup
                .watches(V1ConfigMap.class, map -> List.of(BLOG))
                .index("by value", V1ConfigMap.class,
                        map -> map.getData() == null ? List.of() : map.getData().values()));
        operator.does((request, context) -> {
            context.indexed(V1ConfigMap.class, "by value", "7").forEach(map -> found.add(map.getMetadata().getName()));
        });
        OperatorWorld world = run(operator);
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("a", "7"));
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("b", "8"));
        world.settle();
        createBlog(world);
        world.settle();
        assertThat(found).contains("a").doesNotContain("b");
    }

    @Test
    void anIndexMayHaveAnyNameAndBeOfAClassThatIsOwnedAndWatched() {
        List<List<String>> found = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class)
                .watches(V1ConfigMap.class, map -> List.of(BLOG))
                .index("OWNED", V1ConfigMap.class,
                        map -> map.getData() == null ? List.of() : map.getData().values()));
        operator.does((request, context) -> {
            found.add(context.indexed(V1ConfigMap.class, "OWNED", "7").stream().map(map -> map.getMetadata().getName())
                    .toList());
        });
        OperatorWorld world = run(operator);
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("a", "7"));
        createBlog(world);
        world.settle();
        assertThat(found).last().isEqualTo(List.of("a"));
    }

    @Test
    void anExternalSourceTriggersAndIsRunAgainAfterItThrew() throws Exception {
        List<Consumer<ObjectKey>> triggers = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.source(trigger -> {
            synchronized (triggers) {
                triggers.add(trigger);
                triggers.notifyAll();
                if (triggers.size() == 1) {
                    throw new IllegalStateException("the first run fails on purpose");
                }
            }
        }));
        OperatorWorld world = runWithBlog(operator);
        operator.takeCalls();
        synchronized (triggers) {
            while (triggers.size() < 2) {
                world.settle(Duration.ofSeconds(5));
                triggers.wait(10);
            }
            triggers.get(1).accept(BLOG);
        }
        world.settle();
        assertThat(operator.takeCalls()).contains("blog");
    }

    // ---- what a call may do

    @Test
    void readsOfTypesThatWereNotDeclaredNameTheDeclarationToAdd() {
        List<String> problems = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.watches(V1ConfigMap.class, map -> List.of()));
        operator.does((request, context) -> {
            List<Runnable> wrong = List.of(() -> context.related().all(V1Secret.class),
                    () -> context.indexed(V1ConfigMap.class, "x", "y"),
                    () -> context.apply(configMap("a", "1")),
                    () -> context.apply(new V1Secret().metadata(new V1ObjectMeta().name("a"))),
                    () -> context.related().metadata(ResourceType.SECRETS));
            wrong.forEach(each -> {
                try {
                    each.run();
                } catch (IllegalArgumentException e) {
                    problems.add(String.valueOf(e.getMessage()));
                }
            });
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(problems).containsExactly(
                "operator scripted does not declare V1Secret.class: add setup.owns(V1Secret.class) or "
                        + "setup.watches(V1Secret.class, …) in its setup",
                "operator scripted has no index \"x\" of V1ConfigMap: add setup.index(\"x\", …) in its setup",
                "operator scripted does not own V1ConfigMap: add setup.owns(V1ConfigMap.class) in its setup",
                "operator scripted does not declare V1Secret.class: add setup.owns(V1Secret.class) or "
                        + "setup.watches(V1Secret.class, …) in its setup",
                "operator scripted does not declare the metadata of secrets: add setup.watchesMetadata in its setup");
    }

    @Test
    void whatCannotBeOwnedIsRefusedInASentence() {
        List<String> problems = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            V1ConfigMap elsewhere = configMap("a", "1");
            elsewhere.getMetadata().setNamespace("kube-system");
            V1ConfigMap unnamed = new V1ConfigMap().metadata(new V1ObjectMeta().generateName("x-"));
            for (V1ConfigMap wrong : List.of(elsewhere, unnamed, configMap("taken", "1"))) {
                try {
                    context.apply(wrong);
                } catch (IllegalArgumentException | KubeApiException e) {
                    problems.add(String.valueOf(e.getMessage()));
                }
            }
        });
        OperatorWorld world = run(operator);
        V1ConfigMap taken = configMap("taken", "0");
        taken.getMetadata().addOwnerReferencesItem(OwnerReferences.controllerReference(SITES,
                new V1ObjectMeta().name("other").uid("1")));
        world.cluster.create(ResourceType.CONFIG_MAPS, taken);
        world.settle();
        createBlog(world);
        world.settle();
        assertThat(problems.subList(0, 3)).containsExactly(
                "ConfigMap a is in the namespace kube-system, so Site default/blog cannot own it: an owner with a "
                        + "namespace owns objects of its own namespace only. Write it with applyUnowned, and "
                        + "delete it in a clean-up (setup.finalizer)",
                "a ConfigMap without metadata.name cannot be applied: its name is how it is found again, so "
                        + "generateName is not enough",
                "apply configmaps default/taken: 422 NotOwned: it is controlled by Site other, so Site "
                        + "default/blog cannot own it: choose another name");
    }

    @Test
    void pruningLeavesObjectsThatTheOperatorDidNotApply() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            context.apply(configMap("mine", "1"));
            if (Objects.requireNonNull(request.primary().getSpec()).replicas() == 0) {
                context.prune(List.of());
            }
        });
        OperatorWorld world = runWithBlog(operator);
        Site site = world.cluster.read(SITES, BLOG, Site.class);
        V1ConfigMap others = configMap("others", "1");
        others.getMetadata().addOwnerReferencesItem(OwnerReferences.controllerReference(SITES, site.getMetadata()));
        world.cluster.create(ResourceType.CONFIG_MAPS, others);
        world.settle();
        world.restart();
        operator.does((request, context) -> {
            context.prune(List.of());
        });
        world.settle();
        assertThat(world.cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "others"))).isTrue();
        assertThat(world.cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "mine"))).isFalse();
    }

    @Test
    void anObjectIsDeletedInThePrimaryObjectsNamespaceUnlessItSaysOtherwise() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> context.delete(
                new V1ConfigMap().metadata(new V1ObjectMeta().name("old"))));
        OperatorWorld world = run(operator);
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("old", "1"));
        createBlog(world);
        world.settle();
        assertThat(world.cluster.exists(ResourceType.CONFIG_MAPS, ObjectKey.of("default", "old"))).isFalse();
    }

    @Test
    void changingWhatACallIsHandedHarmsNobody() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class).watches(V1Secret.class,
                secret -> List.of(BLOG)));
        operator.does((request, context) -> {
            context.apply(configMap("a", "1"));
            request.primary().getMetadata().setLabels(Map.of("changed", "yes"));
            request.primary().setSpec(null);
            context.related().all(V1ConfigMap.class).forEach(map -> map.getData().put("k", "changed"));
            context.list(V1Secret.class, "", LabelSelector.everything())
                    .forEach(secret -> secret.getMetadata().setName("changed"));
            context.get(V1ConfigMap.class, ObjectKey.of("default", "a")).ifPresent(map -> map.setData(null));
        });
        OperatorWorld world = run(operator);
        world.cluster.create(ResourceType.SECRETS, V1Secret.class, "{metadata: {name: s, namespace: default}}");
        createBlog(world);
        world.settle();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("b", 1, null)));
        world.settle();
        assertThat(world.cluster.informers().informer(SITES, Site.class).get(BLOG)).isNotNull()
                .satisfies(site -> assertThat(site.getSpec()).isEqualTo(new Site.Spec("b", 1, null)));
        assertThat(world.cluster.informers().informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class)
                .get(ObjectKey.of("default", "a")).getData()).isEqualTo(Map.of("k", "1"));
        assertThat(world.writes()).containsExactly("apply configmaps default/a");
    }

    // ---- the finalizer

    @Test
    void theFinalizerIsThereBeforeTheFirstCallAndGoesAfterTheCleanUp() {
        List<String> story = new ArrayList<>();
        boolean[] cleaned = new boolean[1];
        Scripted operator = new Scripted(setup -> setup
                .primary(site -> site.when(ChangeFilter.generationChanged()))
                .finalizer("example.com/site", (request, context) -> {
                    story.add("clean-up");
                    return cleaned[0] ? Result.done() : Result.requeueAfter(Duration.ofMinutes(1));
                }));
        operator.does((request, context) -> {
            story.add("reconcile " + request.primary().getMetadata().getFinalizers());
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(story).containsExactly("reconcile [example.com/site]");
        world.cluster.delete(SITES, BLOG);
        world.settle();
        assertThat(story).containsExactly("reconcile [example.com/site]", "clean-up");
        assertThat(world.cluster.exists(SITES, BLOG)).isTrue();
        cleaned[0] = true;
        world.settle(Duration.ofMinutes(1));
        assertThat(world.cluster.exists(SITES, BLOG)).isFalse();
        assertThat(story.getLast()).isEqualTo("clean-up");
    }

    @Test
    void aFinalizerThatAnotherClientAddsAtTheSameTimeStays() {
        Scripted operator = new Scripted(
                setup -> setup.finalizer("example.com/site", (request, context) -> Result.done()));
        OperatorWorld world = run(operator);
        createBlog(world);
        world.cluster.deliver();
        world.cluster.edit(SITES, Site.class, BLOG,
                site -> site.getMetadata().addFinalizersItem("example.com/other"));
        Cluster.work(world.controller.loops());
        world.settle(Duration.ofSeconds(1));
        assertThat(world.cluster.read(SITES, BLOG, Site.class).getMetadata().getFinalizers())
                .containsExactly("example.com/other", "example.com/site");
    }

    // ---- failures

    @Test
    void ownConditionsAndTheErrorConditionAreBothKeptAndWrittenOnce() {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"));
        operator.does((request, context) -> {
            Site.Status status = Site.Status.ready(1);
            status.conditions = List.of(new V1Condition().type("Known").status("Unknown").reason("NotPolled")
                    .message(""));
            context.status(status);
            context.condition("Known", ConditionStatus.UNKNOWN, "NotPolled", "");
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(world.json(SITES).at("/status/conditions").valueStream()
                .map(each -> each.path("type").asString() + "=" + each.path("status").asString()))
                .containsExactly("Known=Unknown", "Synced=True");
        assertThat(world.writes()).hasSizeLessThan(5);
    }

    @Test
    void aCleanupThatFailsIsInTheStatus() {
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced").finalizer("example.com/site",
                (request, context) -> {
                    throw new IllegalStateException("the database does not answer");
                }));
        OperatorWorld world = runWithBlog(operator);
        world.cluster.delete(SITES, BLOG);
        world.settle();
        assertThat(world.json(SITES).at("/status/conditions/0/reason").asString()).isEqualTo("CleanupFailed");
        assertThat(world.json(SITES).at("/status/conditions/0/message").asString())
                .isEqualTo("java.lang.IllegalStateException: the database does not answer");
        assertThat(world.cluster.exists(SITES, BLOG)).isTrue();
    }

    @Test
    void aFailureBecomesAConditionOnceAndLeavesWithTheNextSuccess() {
        List<Integer> failures = new ArrayList<>();
        boolean[] fails = {true};
        Scripted operator = new Scripted(setup -> setup.errorCondition("Synced"));
        operator.does((request, context) -> {
            failures.add(request.failures());
            if (fails[0]) {
                throw new IllegalStateException("no disk, attempt " + failures.size());
            }
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(failures).as("the status that it wrote itself leads to no further call").containsExactly(0);
        assertThat(world.json(SITES).at("/status/conditions/0")).hasToString("""
                {"type":"Synced","status":"False","reason":"Failed",\
                "message":"java.lang.IllegalStateException: no disk, attempt 1","observedGeneration":1,\
                "lastTransitionTime":"%s"}"""
                .formatted(world.json(SITES).at("/status/conditions/0/lastTransitionTime").asString()));
        world.settle(Duration.ofMillis(5));
        assertThat(failures).containsExactly(0, 1);
        fails[0] = false;
        world.settle(Duration.ofSeconds(1));
        assertThat(world.json(SITES).at("/status/conditions/0/status").asString()).isEqualTo("True");
    }

    @Test
    void aCallThatTakesTooLongIsInterruptedAndRetried() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        Scripted operator = new Scripted(
                setup -> setup.timeout(Duration.ofMinutes(1)).errorCondition("Synced"));
        operator.does((request, context) -> {
            if (blocked.getCount() > 0) {
                blocked.countDown();
                new CountDownLatch(1).await();
            }
        });
        OperatorWorld world = run(operator);
        createBlog(world);
        Thread worker = Thread.ofPlatform().start(world::settle);
        blocked.await();
        Loop timeouts = world.controller.loops().get(1);
        assertThat(timeouts.step()).isEqualTo(Duration.ofMinutes(1).toNanos());
        world.cluster.clock.advance(Duration.ofMinutes(1));
        timeouts.step();
        worker.join();
        assertThat(world.json(SITES).at("/status/conditions/0/message").asString()).isEqualTo(
                "java.util.concurrent.TimeoutException: it took longer than PT1M and was interrupted (setup.timeout)");
        world.settle(Duration.ofSeconds(1));
        assertThat(world.json(SITES).at("/status/conditions/0/status").asString()).isEqualTo("True");
    }

    @Test
    void aCallThatIgnoresItsInterruptDoesNotKeepOthersFromTheirTimeout() throws Exception {
        ManualClock clock = new ManualClock();
        Timeouts timeouts = new Timeouts(Duration.ofMinutes(1), clock);
        Timeouts.Running deaf = timeouts.begin();
        timeouts.await(Loop.IDLE);
        assertThat(timeouts.step()).isEqualTo(Duration.ofMinutes(1).toNanos());
        clock.advance(Duration.ofMinutes(1));
        timeouts.step();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(timeouts.step()).isEqualTo(Loop.IDLE);
        Timeouts.Running next = timeouts.begin();
        Thread.currentThread().interrupt();
        assertThatCode(() -> timeouts.await(Loop.IDLE)).as("the loop need not wait").doesNotThrowAnyException();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(timeouts.step()).isEqualTo(Duration.ofMinutes(1).toNanos());
        assertThat(next.end()).isFalse();
        assertThat(deaf.end()).isTrue();
    }

    @Test
    void aStatusWithoutFieldsAndAConditionWithoutATypeAreRefused() {
        List<String> refusals = new ArrayList<>();
        Scripted operator = new Scripted(setup -> {}, (request, context) -> {
            refusals.add(String.valueOf(
                    catchThrowable(() -> context.execute(Decision.keep().status("Ready"))).getMessage()));
            refusals.add(String.valueOf(catchThrowable(() -> context.condition("", true, "On", "")).getMessage()));
            return Result.done();
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(refusals).containsExactly(
                "the status of Site default/blog must be an object with fields in JSON, not \"Ready\"",
                "a condition needs a type, such as Ready");
    }

    @Test
    void liveWritesAreAwaitedByTheNextCall() {
        List<String> seen = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.script = (request, context) -> {
            int size = context.list(V1ConfigMap.class, "default", LabelSelector.everything()).size();
            seen.add("sees " + size);
            if (size < 3) {
                context.live(V1ConfigMap.class).create(configMap("n" + size, "1"));
            }
            return size < 3 ? Result.requeueAfter(Duration.ofMillis(1)) : Result.done();
        };
        OperatorWorld world = run(operator);
        world.cluster.create(ResourceType.CONFIG_MAPS, configMap("x", "1"));
        world.cluster.deliver();
        createBlog(world);
        world.cluster.deliver();
        Cluster.work(world.controller.loops());
        world.cluster.clock.advance(Duration.ofSeconds(1));
        Cluster.work(world.controller.loops());
        assertThat(seen).as("its cache does not show the write yet").hasSize(1);
        world.settle(Duration.ofSeconds(1));
        assertThat(seen).doesNotHaveDuplicates();
        assertThat(world.writes()).hasSize(seen.size() - 1);
    }

    @Test
    void liveWritesArePlannedWhileTheServiceObservesAndRefusedOnceItLeadsNoMore() {
        List<String> problems = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            V1ConfigMap made = context.live(V1ConfigMap.class).create(configMap("a", "1"));
            assertThat(made.getData()).containsEntry("k", "1");
            context.live(V1ConfigMap.class).delete(ObjectKey.of("default", "b"), Deletion.unconditional());
        });
        OperatorWorld world = run(operator);
        createBlog(world);
        List<String> planned = new ArrayList<>();
        ControllerMetrics metrics = new ControllerMetrics(Meters.NONE) {
            @Override
            public void planned(String controller, String verb, ResourceType type) {
                planned.add(verb + " " + type);
            }
        };
        world.restart(() -> world.cluster.context(new ControllerContext.Settings((name, preset) -> 1,
                Parallel.inOrder(), name -> true, name -> true, metrics)));
        world.settle();
        assertThat(planned).containsExactly("create configmaps", "delete configmaps");
        operator.does((request, context) -> {
            try {
                context.live(V1ConfigMap.class).create(configMap("a", "1"));
            } catch (KubeApiException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        });
        world.restart(() -> world.cluster.context(new ControllerContext.Settings((name, preset) -> 1,
                Parallel.inOrder(), name -> false, name -> false, metrics)));
        world.settle();
        assertThat(problems).singleElement().asString().startsWith("create configmaps default/a: 503");
        assertThat(world.writes()).isEmpty();
    }

    @Test
    void aStatusOfATypeWithoutOneAndAnObjectThatIsWantedTwiceAreRefused() {
        List<String> problems = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            try {
                context.execute(Decision.apply(configMap("a", "1"), configMap("a", "2")));
            } catch (IllegalArgumentException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(problems).containsExactly("the decision about Site default/blog wants configmaps default/a twice: "
                + "only one of them can be");
        assertThatThrownBy(() -> Declaration.of(new ConfigMapOperator())).hasMessage(
                "operator " + ConfigMapOperator.class.getName()
                        + ": the error condition Synced needs a status, and ConfigMap has none");
    }

    static class ConfigMapOperator extends Base<V1ConfigMap> {
        @Override
        public void setup(Setup<V1ConfigMap> setup) {
            setup.errorCondition("Synced");
        }
    }

    @Test
    void aLostAnswerOfACreateIsSettledBeforeTheNextCall() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.does((request, context) -> {
            if (context.list(V1ConfigMap.class, "default", LabelSelector.parse("made=here")).isEmpty()) {
                context.live(V1ConfigMap.class).create(new V1ConfigMap().metadata(new V1ObjectMeta()
                        .generateName("n-").namespace("default").labels(Map.of("made", "here"))));
            }
        });
        OperatorWorld world = run(operator);
        boolean[] lost = new boolean[1];
        world.cluster.requests.fault(Requests.Fault.afterwards((verb, type, key) -> {
            if (verb.equals("create") && !lost[0]) {
                lost[0] = true;
                return new KubeApiException("create", new IOException("connection reset"));
            }
            return null;
        }));
        createBlog(world);
        world.settle(Duration.ofSeconds(10));
        assertThat(world.writes()).as("one create").hasSize(1);
    }

    @Test
    void aWatchedDeletionOfItsOwnIsSeenBeforeTheNextCall() {
        List<Integer> sizes = new ArrayList<>();
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class));
        operator.script = (request, context) -> {
            List<V1ConfigMap> maps = context.list(V1ConfigMap.class, "default", LabelSelector.parse("old"));
            sizes.add(maps.size());
            maps.forEach(context::delete);
            return maps.isEmpty() ? Result.done() : Result.requeueAfter(Duration.ofMillis(1));
        };
        OperatorWorld world = run(operator);
        V1ConfigMap old = configMap("a", "1");
        old.getMetadata().setLabels(Map.of("old", ""));
        world.cluster.create(ResourceType.CONFIG_MAPS, old);
        createBlog(world);
        world.cluster.deliver();
        Cluster.work(world.controller.loops());
        world.cluster.clock.advance(Duration.ofSeconds(5));
        Cluster.work(world.controller.loops());
        assertThat(sizes).containsExactly(1);
        world.settle(Duration.ofSeconds(5));
        assertThat(sizes).containsExactly(1, 0);
    }

    @Test
    void anApplyOfAnObjectWithALimitThatTheCacheDoesNotShowIsRefused() {
        Scripted operator = new Scripted(setup -> setup.owns(V1ConfigMap.class, maps -> maps.labels("app=web")));
        List<String> problems = new ArrayList<>();
        operator.does((request, context) -> {
            assertThatThrownBy(() -> context.apply(configMap("a", "1"))).satisfies(
                    e -> problems.add(String.valueOf(e.getMessage())));
        });
        OperatorWorld world = runWithBlog(operator);
        assertThat(problems).containsExactly("ConfigMap a does not have the labels app=web to which setup.owns limits "
                + "configmaps");
    }

    // ---- declarations

    static class Base<T extends KubernetesObject> implements ReconcilingOperator<T> {
        @Override
        public void setup(Setup<T> setup) {}

        @Override
        public Result reconcile(Request<T> request, Context<T> context) {
            return Result.done();
        }
    }

    static class NodeLabelsOperator extends Base<V1Node> {}

    @Test
    void thePrimaryClassComesFromTheDeclarationOfTheClassOrOfItsSuperclass() {
        Declaration<?> declaration = Declaration.of(new NodeLabelsOperator());
        assertThat(declaration.primary().type()).isEqualTo(ResourceType.NODES);
        assertThat(declaration.name()).isEqualTo("node-labels-operator");
        assertThatThrownBy(() -> Declaration.of(new Base<V1ConfigMap>())).hasMessage(Base.class.getName()
                + " does not say which objects it reconciles: name the class in its declaration, such as "
                + "\"implements DecidingOperator<Website>\"");
    }

    private static class Scripted$$SpringCGLIB$$0 extends Scripted {
        Scripted$$SpringCGLIB$$0() {
            super(setup -> {});
        }
    }

    @Test
    void theNameOfAProxiedOperatorIsThatOfItsOwnClass() {
        assertThat(Declaration.of(new Scripted$$SpringCGLIB$$0()).name()).isEqualTo("scripted");
    }

    @Test
    void declarationsThatCannotWorkNameTheOperatorAndTheRemedy() {
        Map<Consumer<Setup<Site>>, String> mistakes = Map.of(
                setup -> setup.name("My Operator"),
                "operator " + Scripted.class.getName()
                        + ": the name \"My Operator\" is not of at most 63 lower-case letters, digits, - and .",
                setup -> setup.name("s").owns(V1ClusterRole.class),
                "operator s: Site, which has a namespace, cannot own clusterroles.rbac.authorization.k8s.io, which "
                        + "has none: the garbage collector would delete them. Use setup.watches, and delete them in a "
                        + "clean-up (setup.finalizer)",
                setup -> setup.name("s").owns(V1ConfigMap.class).owns(V1ConfigMap.class),
                "operator s: configmaps is declared twice as owned: make it one declaration",
                setup -> setup.name("s").index("i", V1Secret.class, secret -> List.of()),
                "operator s: the index i is of V1Secret, which is not declared: add setup.owns or setup.watches of "
                        + "the class",
                setup -> setup.name("s").owns(Plain.class),
                "operator s: " + Plain.class.getName()
                        + " has no resource type: annotate it with @ResourceDefinition(group = …, version = …)");
        mistakes.forEach((mistake, sentence) -> assertThatThrownBy(() -> Declaration.of(new Scripted(mistake)))
                .isInstanceOf(IllegalArgumentException.class).hasMessage(sentence));
    }

    static class Plain extends CustomResource<String, Void> {}
}
