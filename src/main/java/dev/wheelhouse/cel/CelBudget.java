package dev.wheelhouse.cel;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OverdueException;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.runtime.CelEvaluationException;

/**
 * Limits the cost of the expressions about one object, in total and per evaluation (upstream:
 * {@code apiserver/pkg/apis/cel/config.go}). One unit is about a microsecond. A step of an expression costs one unit, a
 * character that a function reads a tenth. {@link Costs} charges functions before they work. For one thread.
 */
public final class CelBudget {
    /** For all validations of one object by one schema or one bound policy (upstream: {@code RuntimeCELCostBudget}). */
    private static final long OF_VALIDATIONS = 10_000_000;
    /** For all match conditions of one policy (upstream: {@code RuntimeCELCostBudgetMatchConditions}). */
    private static final long OF_CONDITIONS = 2_500_000;
    /** For one evaluation (upstream: {@code PerCallLimit}). */
    private static final long OF_ONE_CALL = 1_000_000;
    private static final int TENTHS = 10;
    private static final ThreadLocal<@Nullable Meter> CURRENT = new ThreadLocal<>();

    private long left;

    private CelBudget(long units) {
        this.left = units * TENTHS;
    }

    /** The budget of all validations of one object by one schema or one policy with its binding. */
    public static CelBudget ofValidations() {
        return new CelBudget(OF_VALIDATIONS);
    }

    /** The budget of all match conditions of one policy for one object. */
    public static CelBudget ofConditions() {
        return new CelBudget(OF_CONDITIONS);
    }

    /** Whether the budget is used up, so that no more expressions may be evaluated. */
    public boolean isSpent() {
        return left < 0;
    }

    /** An evaluation cost more than a single one may. */
    static final class ExceededException extends Exception {
        ExceededException() {
            super("operation cancelled: actual cost limit exceeded");
        }
    }

    /**
     * Evaluations may nest, because the value of a policy's variable is computed when another expression reads it.
     *
     * @throws ExceededException if the evaluation costs too much; the whole budget is then used up
     */
    Object evaluate(CelProgram program, Map<String, Object> variables)
            throws CelEvaluationException, ExceededException {
        Meter outer = CURRENT.get();
        Meter meter = new Meter(program.scalars());
        CURRENT.set(meter);
        try {
            return program.program().trace(variables, meter::step);
        } catch (RuntimeException | StackOverflowError e) {
            throw new CelEvaluationException(
                    e instanceof StackOverflowError ? "the value nests too deeply" : String.valueOf(e.getMessage()), e);
        } catch (Stop e) {
            left = -1;
            if (e.overdue != null) {
                throw e.overdue;
            }
            throw new ExceededException();
        } finally {
            left -= meter.spent;
            CURRENT.set(outer);
        }
    }

    /** Charges tenths of a unit to the evaluation that this thread runs. */
    static void charge(long tenths) {
        Meter meter = CURRENT.get();
        if (meter != null) {
            meter.add(tenths);
        }
    }

    /** The tenths of a unit that are left to the evaluation that this thread runs. */
    static long remaining() {
        Meter meter = CURRENT.get();
        return meter == null ? Long.MAX_VALUE : OF_ONE_CALL * TENTHS - meter.spent;
    }

    /** Ends an evaluation. CEL would catch an exception: {@code ||} ignores a failed side if the other one is true. */
    private static final class Stop extends Error {
        private final transient @Nullable OverdueException overdue;

        Stop(@Nullable OverdueException overdue) {
            super("", null, false, false);
            this.overdue = overdue;
        }
    }

    private static final class Meter {
        private final ScalarParts scalars;
        private long spent;

        Meter(ScalarParts scalars) {
            this.scalars = scalars;
        }

        void add(long tenths) {
            spent += tenths;
            if (tenths < 0 || spent > OF_ONE_CALL * TENTHS) {
                throw new Stop(null);
            }
            try {
                Deadline.check();
            } catch (OverdueException e) {
                throw new Stop(e);
            }
        }

        /**
         * Charges the steps of an expression that are not function calls.
         *
         * @throws IllegalArgumentException if the value may not stand there
         */
        void step(CelExpr expression, Object value) {
            scalars.check(expression, value);
            ExprKind.Kind kind = expression.exprKind().getKind();
            add(TENTHS * (long) switch (kind) {
                case IDENT, SELECT -> 1;
                case LIST -> 10;
                case MAP -> 30;
                case STRUCT -> 40;
                default -> 0;
            });
        }
    }
}
