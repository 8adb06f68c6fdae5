package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;

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
    void aConditionForAStatusWithoutConditionsIsAnsweredByAWarning() {
        try (Logged log = Logged.by(OperatorContext.class.getName())) {
            run((request, context) -> context.execute(Decision.nothing().status(new Lamp.Status(true))
                    .condition("Ready", true, "On", "It shines")));
            assertThat(log.lines())
                    .containsExactly("WARN lamp-operator: the status of Lamp default/desk lost conditions: "
                            + "the API server or the status class has no such field. Add it to the class and its "
                            + "definition, such as \"List<V1Condition> conditions\"");
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
                + "everything as it is, or Decision.nothing() to delete what it wanted before");
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
