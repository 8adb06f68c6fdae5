package dev.wheelhouse.operator;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.kubernetes.client.openapi.models.V1Condition;

import dev.wheelhouse.Logged;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/** Two operators of one type write one status. */
@Isolated
class StatusFieldsTest {
    @ResourceDefinition(group = "example.com", version = "v1")
    static class Lamp extends CustomResource<Lamp.Spec, Lamp.Status> {
        record Spec(boolean on) {}

        record Status(@Nullable String bulb, @Nullable String power, @Nullable List<V1Condition> conditions) {}
    }

    /** @param field null for all */
    private record Half(String name, @Nullable String field, Function<Half, Decision> decision)
            implements
                DecidingOperator<Lamp> {
        @Override
        public void setup(Setup<Lamp> setup) {
            setup.name(name);
            if (field != null) {
                setup.statusFields(field);
            }
        }

        @Override
        public Decision decide(Lamp lamp, Related related, Instant now) {
            return decision.apply(this);
        }
    }

    private static Lamp.Status run(Half... operators) {
        try (TestServer server = TestServer.builder().crds(Lamp.class).operators(operators).manualClock().start()) {
            Lamp desk = new Lamp();
            desk.getMetadata().setName("desk");
            desk.setSpec(new Lamp.Spec(true));
            server.user().create(desk);
            server.settle();
            return server.user().get(Lamp.class, "default", "desk").getStatus();
        }
    }

    @Test
    void eachWritesItsOwnFieldsAndLeavesTheOthers() {
        Lamp.Status status = run(
                new Half("bulbs", "bulb", me -> Decision.keep().status(new Lamp.Status("warm", null, null))
                        .condition("Bulb", true, "Bulb", "")),
                new Half("powers", "power", me -> Decision.keep().status(new Lamp.Status(null, "on", List.of(
                        new V1Condition().type("Power").status("True").reason("Power").message(""))))));
        assertThat(status.bulb()).isEqualTo("warm");
        assertThat(status.power()).isEqualTo("on");
        assertThat(status.conditions()).extracting(V1Condition::getType).containsExactlyInAnyOrder("Bulb", "Power");
    }

    @Test
    void aFieldThatIsNotDeclaredIsRefusedWithItsName() {
        List<String> problems = new ArrayList<>();
        try (OperatorWorld world = new OperatorWorld(new Scripted(setup -> setup.statusFields("conditions"),
                (request, context) -> {
                    try {
                        context.status(Site.Status.ready(1));
                    } catch (IllegalArgumentException e) {
                        problems.add(e.getMessage());
                    }
                    return Result.done();
                }))) {
            world.createSite("{metadata: {name: blog, namespace: default}, spec: {image: a, replicas: 1}}");
            world.settle();
        }
        assertThat(problems).containsExactly("the status of Site default/blog has the field ready, which "
                + "setup.statusFields does not name: name it there, or leave it out");
    }

    /** Ends after some runs, because a test cannot wait for a fight to end. */
    @Test
    void aFightAboutTheWholeStatusIsNamed() {
        AtomicInteger runs = new AtomicInteger();
        try (Logged log = Logged.by(StatusStreaks.class.getName())) {
            run(new Half("bulbs", null, me -> fight(runs, new Lamp.Status("warm", null, null))),
                    new Half("powers", null, me -> fight(runs, new Lamp.Status(null, "on", null))));
            assertThat(log.lines()).isNotEmpty()
                    .allMatch(line -> line.contains("was written 10 times in a row, the last "
                            + "time for ")
                            && line.endsWith(": another client changes it back. If that is another operator, "
                                    + "give each its own fields by setup.statusFields"));
        }
    }

    private static Decision fight(AtomicInteger runs, Lamp.Status status) {
        return runs.incrementAndGet() > 60 ? Decision.keep() : Decision.keep().status(status);
    }
}
