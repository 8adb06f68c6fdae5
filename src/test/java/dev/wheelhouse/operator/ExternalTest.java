package dev.wheelhouse.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Worker;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.testing.OperatorSimulation;
import dev.wheelhouse.world.Cluster;

import static dev.wheelhouse.operator.OperatorWorld.BLOG;
import static dev.wheelhouse.operator.OperatorWorld.SITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Isolated
class ExternalTest {
    private static final External<Integer> LOAD = External.named("load");
    private static final Duration PERIOD = Duration.ofSeconds(30);

    private final Map<String, Integer> loads = new HashMap<>();
    private final List<String> polls = new ArrayList<>();
    private final List<String> decisions = new ArrayList<>();
    private @Nullable OperatorWorld world;
    private @Nullable RuntimeException down;

    @AfterEach
    void close() {
        if (world != null) {
            world.close();
        }
    }

    private Scripted operator(External.Poll<Site, Integer> poll) {
        Scripted operator = new Scripted(setup -> setup.name("balancer").poll(LOAD, PERIOD, poll));
        operator.does((request, context) -> decisions
                .add(request.key().name() + " " + context.related().external(LOAD).orElse(null)));
        return operator;
    }

    private OperatorWorld runWithBlog(Operator<?> operator) {
        world = new OperatorWorld(operator);
        world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
        return world.settle();
    }

    private @Nullable Integer load(Site site) {
        polls.add(site.getMetadata().getName());
        if (down != null) {
            throw down;
        }
        return loads.get(site.getMetadata().getName());
    }

    private List<String> after(Duration time) {
        world.cluster.clock.advance(time);
        world.settle();
        List<String> taken = List.copyOf(decisions);
        decisions.clear();
        return taken;
    }

    @Test
    void anotherValueReconcilesAndAnEqualOneDoesNot() {
        loads.put("blog", 5);
        runWithBlog(operator(this::load));
        assertThat(decisions).as("nothing is decided before the first read").containsExactly("blog 5");
        decisions.clear();
        assertThat(after(PERIOD)).isEmpty();
        loads.put("blog", 6);
        assertThat(after(PERIOD.minusMillis(1))).isEmpty();
        assertThat(after(Duration.ofMillis(1))).containsExactly("blog 6");
        loads.remove("blog");
        assertThat(after(PERIOD)).containsExactly("blog null");
        assertThat(after(PERIOD)).isEmpty();
        assertThat(polls).hasSize(5);
    }

    @Test
    void aFailedPollKeepsTheLastValueWithItsTimeAndSaysSo() {
        loads.put("blog", 5);
        Scripted operator = operator(this::load);
        List<Instant> asOf = new ArrayList<>();
        runWithBlog(operator);
        Instant read = world.cluster.clock.now();
        down = new IllegalStateException("no answer");
        operator.does((request, context) -> asOf.add(context.related().externalAsOf(LOAD).orElseThrow()));
        try (Logged log = Logged.by(Worker.class.getName())) {
            after(PERIOD);
            assertThat(log.lines()).singleElement().asString().isEqualTo("ERROR balancer-load: the sync of default/blog"
                    + " failed and is retried (failure 1 in a row)");
        }
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.settle();
        assertThat(asOf).containsExactly(read);
        down = null;
        loads.put("blog", 6);
        after(Duration.ofSeconds(1));
        assertThat(asOf).as("it is tried again after a second").containsExactly(read,
                read.plus(PERIOD).plusSeconds(1));
    }

    @Test
    void aChangedSpecIsReadAtOnceAndTheValueOfAGoneObjectIsDropped() {
        loads.put("blog", 5);
        runWithBlog(operator(this::load));
        polls.clear();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.getMetadata().putLabelsItem("a", "b"));
        world.settle();
        assertThat(polls).isEmpty();
        world.cluster.edit(SITES, Site.class, BLOG, site -> site.setSpec(new Site.Spec("b", 2, null)));
        world.settle();
        assertThat(polls).containsExactly("blog");
        decisions.clear();
        world.cluster.delete(SITES, BLOG);
        assertThat(after(PERIOD.multipliedBy(3))).as("nothing is read any more").doesNotContain("blog 5");
        assertThat(polls).containsExactly("blog");
        down = new IllegalStateException("no answer");
        world.createSite("{metadata: {name: blog, namespace: default}}");
        assertThat(after(Duration.ZERO)).containsExactly("blog null");
    }

    @Test
    @Timeout(120)
    void aFirstPollThatTakesTooLongIsInterruptedAndTheOperatorGoesOnWithoutAValue() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        runWithBlog(new Scripted(setup -> setup.name("idle")));
        world.restart(operator(site -> {
            begun.countDown();
            never.await();
            return 1;
        }));
        world.cluster.deliver();
        List<Loop> loops = world.controller.loops();
        Thread poll = Thread.ofVirtual().unstarted(() -> loops.stream().filter(Worker.class::isInstance).skip(1)
                .forEach(Cluster::step));
        poll.start();
        assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
        Cluster.step(loops.getFirst());
        assertThat(decisions).isEmpty();
        world.cluster.clock.advance(Duration.ofSeconds(10));
        loops.stream().filter(loop -> !(loop instanceof Worker)).forEach(Cluster::step);
        poll.join();
        Cluster.step(loops.getFirst());
        assertThat(decisions).as("a read that failed does not stop the operator").containsExactly("blog null");
    }

    @Test
    @Timeout(120)
    void aSourceSendsValuesForObjectsThatExist() throws Exception {
        List<BiConsumer<ObjectKey, Integer>> senders = new ArrayList<>();
        CountDownLatch started = new CountDownLatch(1);
        Scripted operator = new Scripted(setup -> setup.name("balancer").inbound(LOAD, values -> {
            senders.add(values);
            started.countDown();
        }));
        operator.does((request, context) -> decisions
                .add(request.key().name() + " " + context.related().external(LOAD).orElse(null)));
        runWithBlog(operator);
        assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
        decisions.clear();
        senders.getFirst().accept(BLOG, 3);
        senders.getFirst().accept(ObjectKey.of("default", "nobody"), 3);
        assertThat(after(Duration.ZERO)).containsExactly("blog 3");
        senders.getFirst().accept(BLOG, 3);
        assertThat(after(Duration.ZERO)).isEmpty();
    }

    @Test
    void aHandleThatIsNotDeclaredOrIsDeclaredTwiceIsRefused() {
        External<Integer> other = External.named("load");
        List<String> problems = new ArrayList<>();
        Scripted operator = operator(this::load);
        operator.does((request, context) -> {
            try {
                context.related().external(other);
            } catch (IllegalArgumentException e) {
                problems.add(e.getMessage());
            }
        });
        runWithBlog(operator);
        assertThat(problems).contains("operator balancer does not declare the external value load: add setup.poll or "
                + "setup.inbound in its setup");
        assertThatThrownBy(() -> Operators.descriptor(new Scripted(
                setup -> setup.name("balancer").poll(LOAD, PERIOD, site -> 1).inbound(other, values -> {}))))
                .hasMessage("operator balancer: the external value load is declared twice");
        assertThatThrownBy(() -> External.named("The load")).hasMessageContaining("\"The load\"");
    }

    /** The example of the page about the library. */
    private static final class Balancer implements DecidingOperator<Site> {
        static final External<Integer> LOAD = External.named("load");

        @Override
        public void setup(Setup<Site> setup) {
            setup.poll(LOAD, Duration.ofSeconds(30), site -> Metering.load(site.getMetadata().getName()));
        }

        @Override
        public Decision decide(Site site, Related related, Instant now) {
            return Decision.keep().status(Site.Status.ready(related.external(LOAD).orElse(0) / 10));
        }
    }

    private static final class Metering {
        static int load(String name) {
            return name.length() * 10;
        }
    }

    @Test
    void aTestGivesTheValueToTheDecision() throws IOException {
        Decision decision = new Balancer().decide(new Site(), Related.of(List.of(), Balancer.LOAD.given(70)),
                Instant.EPOCH);
        assertThat(((Site.Status) decision.status()).ready).isEqualTo(7);
        assertThat(Related.of().external(Balancer.LOAD)).isEmpty();
        Matcher snippet = Pattern.compile("## What is outside.*?```java\\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/library.md")));
        assertThat(snippet.find()).isTrue();
        assertThat(Files.readString(Path.of("src/test/java/dev/wheelhouse/operator/ExternalTest.java"))
                .replaceAll("\\s+", "")).contains(snippet.group(1).replaceAll("\\s+", ""));
    }

    @Test
    void theSimulationPollsByItsOwnClock() {
        OperatorSimulation.of(Balancer::new).crds(Site.class).seeds(1)
                .step("creates a site", user -> user.create("""
                        {apiVersion: example.com/v1, kind: Site, metadata: {name: blog}, spec: {replicas: 3}}"""))
                .run();
    }
}
