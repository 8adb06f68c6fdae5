package dev.wheelhouse.meters;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * A gauge of several objects with the same name and tags, such as the queues of the shards of a controller. A registry
 * itself shows only the first of them. The objects are held weakly, as those of all gauges. Thread safe.
 */
public final class SharedGauge {
    private static final Map<MeterRegistry, Map<Meter.Id, SharedGauge>> ALL = new WeakHashMap<>();

    private final Together together;
    private final List<Part<?>> parts = new CopyOnWriteArrayList<>();
    private @Nullable Gauge registered;

    private SharedGauge(Together together) {
        this.together = together;
    }

    /** The value of several values. */
    public enum Together {
        SUM(0, Double::sum),
        MOST(0, Math::max),
        /** The largest value that is a number; NaN if there is none. */
        MOST_KNOWN(Double.NaN, (a, b) -> Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b)),
        LEAST(Double.POSITIVE_INFINITY, Math::min);

        private final double none;
        private final DoubleBinaryOperator both;

        Together(double none, DoubleBinaryOperator both) {
            this.none = none;
            this.both = both;
        }
    }

    private record Part<T>(WeakReference<T> object, ToDoubleFunction<? super T> value) {
        double valueOr(double none) {
            T present = object.get();
            return present == null ? none : value.applyAsDouble(present);
        }
    }

    /** An object's part of a gauge. */
    public final class Membership {
        private final MeterRegistry registry;
        private final Meter.Id id;
        private final Part<?> part;

        private Membership(MeterRegistry registry, Meter.Id id, Part<?> part) {
            this.registry = registry;
            this.id = id;
            this.part = part;
        }

        /** The object does not count any more. The gauge stays, without objects too. */
        public void end() {
            parts.remove(part);
        }

        /**
         * The object does not count any more. The gauge is removed with its last object.
         *
         * @return whether it was removed
         */
        @CanIgnoreReturnValue
        public boolean remove() {
            synchronized (ALL) {
                parts.remove(part);
                Map<Meter.Id, SharedGauge> gauges = ALL.get(registry);
                boolean last = parts.isEmpty() && gauges != null && registered != null
                        && gauges.remove(id, SharedGauge.this);
                if (last && registered != null) {
                    registry.remove(registered);
                }
                return last;
            }
        }
    }

    /** The identity of a gauge. */
    public static Meter.Id id(String name, String help, Tags tags) {
        return new Meter.Id(name, tags, null, help, Meter.Type.GAUGE);
    }

    /**
     * Counts an object in the gauge of this identity, which is registered if it does not exist.
     *
     * @param value the value of the object; must not refer to the object otherwise
     */
    public static <T> Membership join(MeterRegistry registry, Meter.Id id, Together together, T object,
            ToDoubleFunction<? super T> value) {
        Part<T> part = new Part<>(new WeakReference<>(object), value);
        synchronized (ALL) {
            SharedGauge gauge = registry == Meters.NONE
                    ? new SharedGauge(together)
                    : ALL.computeIfAbsent(registry, key -> new HashMap<>()).computeIfAbsent(id,
                            key -> register(registry, key, together));
            gauge.parts.removeIf(other -> other.object.get() == null);
            gauge.parts.add(part);
            return gauge.new Membership(registry, id, part);
        }
    }

    private static SharedGauge register(MeterRegistry registry, Meter.Id id, Together together) {
        SharedGauge gauge = new SharedGauge(together);
        gauge.registered = Gauge.builder(id.getName(), gauge, SharedGauge::value).tags(id.getTags())
                .description(id.getDescription()).baseUnit(id.getBaseUnit()).strongReference(true).register(registry);
        return gauge;
    }

    private double value() {
        return parts.stream().mapToDouble(part -> part.valueOr(together.none)).reduce(together.none, together.both);
    }
}
