package dev.wheelhouse.apiserver.cel;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.apiserver.work.OverdueException;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;

/**
 * What the expressions about one object may cost, all together and each evaluation (upstream: {@code apiserver/pkg/apis/cel/config.go}). A unit is
 * about a microsecond: a step of an expression, a tenth of a unit a character that a function reads. Functions are charged before they work, by
 * {@link Costs}. For one thread.
 */
public final class CelBudget {
    /** {@code RuntimeCELCostBudget}: of all validations of one object by one schema or one bound policy. */
    private static final long OF_VALIDATIONS = 10_000_000;
    /** {@code RuntimeCELCostBudgetMatchConditions}: of all match conditions of one policy. */
    private static final long OF_CONDITIONS = 2_500_000;
    /** {@code PerCallLimit}. */
    private static final long OF_ONE_CALL = 1_000_000;
    private static final int TENTHS = 10;
    private static final ThreadLocal<@Nullable Meter> CURRENT = new ThreadLocal<>();

    private long left;

    private CelBudget(long units) {
        this.left = units * TENTHS;
    }

    public static CelBudget ofValidations() {
        return new CelBudget(OF_VALIDATIONS);
    }

    public static CelBudget ofConditions() {
        return new CelBudget(OF_CONDITIONS);
    }

    /** Whether nothing more may be evaluated. */
    public boolean isSpent() {
        return left < 0;
    }

    /** An evaluation that cost more than one may. */
    static final class ExceededException extends Exception {
        private static final long serialVersionUID = 1;

        ExceededException() {
            super("operation cancelled: actual cost limit exceeded");
        }
    }

    /** @throws ExceededException if it costs too much; the budget is spent then */
    Object evaluate(CelRuntime.Program program, Map<String, Object> variables)
            throws CelEvaluationException, ExceededException {
        Meter meter = new Meter();
        CURRENT.set(meter);
        try {
            Object value = program.trace(variables, meter::step);
            left -= meter.spent;
            return value;
        } catch (CelEvaluationException e) {
            left -= meter.spent;
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            left -= meter.spent;
            throw new CelEvaluationException(
                    e instanceof StackOverflowError ? "the value nests too deeply" : String.valueOf(e.getMessage()), e);
        } catch (Stop e) {
            left = -1;
            if (e.overdue != null) {
                throw e.overdue;
            }
            throw new ExceededException();
        } finally {
            CURRENT.remove();
        }
    }

    /** Charges the evaluation that this thread is in. @param tenths of a unit */
    static void charge(long tenths) {
        Meter meter = CURRENT.get();
        if (meter != null) {
            meter.add(tenths);
        }
    }

    /** How many tenths of a unit the evaluation that this thread is in may still cost. */
    static long remaining() {
        Meter meter = CURRENT.get();
        return meter == null ? Long.MAX_VALUE : OF_ONE_CALL * TENTHS - meter.spent;
    }

    /** Ends an evaluation. An exception would not: whether a side of {@code ||} fails does not matter if the other side is true. */
    private static final class Stop extends Error {
        private static final long serialVersionUID = 1;
        private final transient @Nullable OverdueException overdue;

        Stop(@Nullable OverdueException overdue) {
            super("", null, false, false);
            this.overdue = overdue;
        }
    }

    private static final class Meter {
        private long spent;

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

        /** Charges what is no call of a function. */
        void step(CelExpr expression, Object value) {
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
