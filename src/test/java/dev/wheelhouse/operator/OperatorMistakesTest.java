package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import dev.wheelhouse.Logged;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Mistakes that a person who writes the first operator makes, and the sentences that answer them. */
@Isolated
class OperatorMistakesTest {
    @ResourceDefinition(group = "example.com", version = "v1")
    static class Lamp extends CustomResource<Lamp.Spec, Lamp.Status> {
        record Spec(boolean on) {}

        record Status(boolean shines) {}
    }

    private interface LampOperator extends ReconcilingOperator<Lamp> {
        @Override
        default void setup(Setup<Lamp> setup) {
            setup.name("lamp-operator");
        }

        @Override
        Result reconcile(Request<Lamp> request, Context<Lamp> context);
    }

    @Test
    void aConditionForAStatusWithoutConditionsFailsWithTheRemedy() {
        List<String> errors = new ArrayList<>();
        run((request, context) -> {
            try {
                return context.execute(Decision.apply().status(new Lamp.Status(true))
                        .condition("Ready", true, "On", "It shines"));
            } catch (IllegalArgumentException e) {
                errors.add(e.getMessage());
                return Result.done();
            }
        });
        assertThat(errors).containsExactly("the condition Ready of Lamp default/desk cannot be stored: the status of "
                + "Lamp has no conditions. Add them to its class, such as \"List<V1Condition> conditions\"");
    }

    @Test
    void anErrorConditionForAStatusWithoutConditionsEndsTheSetup() {
        LampOperator operator = new LampOperator() {
            @Override
            public void setup(Setup<Lamp> setup) {
                setup.name("lamp-operator").errorCondition("Ready");
            }

            @Override
            public Result reconcile(Request<Lamp> request, Context<Lamp> context) {
                return Result.done();
            }
        };
        assertThatThrownBy(() -> Operators.descriptor(operator)).hasMessage("operator lamp-operator: the error "
                + "condition Ready cannot be stored: the status of Lamp has no conditions. Add them to its class, such "
                + "as \"List<V1Condition> conditions\"");
    }

    @Test
    void aStatusThatDiffersInEachRunIsNamedAfterTenWrites() {
        AtomicInteger runs = new AtomicInteger();
        try (Logged log = Logged.by(StatusStreaks.class.getName())) {
            run((request, context) -> {
                context.status(new Lamp.Status(runs.incrementAndGet() % 2 == 0));
                if (runs.get() > 30) {
                    context.status(new Lamp.Status(true));
                }
                return Result.done();
            });
            assertThat(log.lines())
                    .containsExactly("WARN lamp-operator: the status of Lamp default/desk was written 10 "
                            + "times in a row, the last time for shines: a value that differs in each run, such as "
                            + "the time, leads to the next run. Leave it out, or let only other changes count by "
                            + "ChangeFilter.generationChanged()");
        }
    }

    @Test
    void aDecisionThatIsNullIsAnsweredByTheTwoThatMayBeMeant() {
        List<String> errors = new ArrayList<>();
        run((request, context) -> {
            try {
                return context.execute(null);
            } catch (NullPointerException e) {
                errors.add(e.getMessage());
                return Result.done();
            }
        });
        assertThat(errors).containsExactly("operator lamp-operator decided null: return Decision.keep() to leave "
                + "everything as it is, or Decision.deleteAll() to delete what it wanted before");
    }

    @Test
    void aSetupThatFailsIsNamed() {
        LampOperator operator = new LampOperator() {
            @Override
            public void setup(Setup<Lamp> setup) {
                setup.name(null);
            }

            @Override
            public Result reconcile(Request<Lamp> request, Context<Lamp> context) {
                return Result.done();
            }
        };
        assertThatThrownBy(() -> Operators.descriptor(operator)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("operator " + operator.getClass().getName() + ": its setup failed: ");
    }

    private static void run(LampOperator operator) {
        try (TestServer server = TestServer.builder().crds(Lamp.class).operators(operator).manualClock().start()) {
            Lamp desk = new Lamp();
            desk.getMetadata().setName("desk");
            desk.setSpec(new Lamp.Spec(true));
            server.user().create(desk);
            server.settle();
        }
    }
}
