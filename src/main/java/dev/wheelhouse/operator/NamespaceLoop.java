package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.informer.NamespaceSet;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Opens and closes the caches of the namespaces that an operator chooses. A namespace opens when all its caches are
 * there, so one that the server forbids waits, and no other waits for it.
 */
final class NamespaceLoop extends SignalledLoop {
    static final Duration EVERY = Duration.ofSeconds(10);
    private static final Logger log = LoggerFactory.getLogger(NamespaceLoop.class);
    private static final int SHOWN = 5;
    private static final Duration ROOM = Duration.ofSeconds(1);

    private final String operator;
    private final Source chosen;
    private final NamespaceSet set;
    private final Runnable start;
    private final Clock clock;
    private Set<String> wanted = Set.of();
    private boolean asked;
    private long next;
    private volatile String failure = "";
    private boolean known;
    /** Whether all namespaces of the start are open, as far as they are not forbidden. */
    private volatile boolean complete;

    /** @param every how often to ask for the names; zero in each step */
    record Source(Supplier<? extends Collection<String>> names, Duration every) {}

    /** @param start starts the informers that were made */
    NamespaceLoop(String operator, Source chosen, NamespaceSet set, Runnable start, Clock clock) {
        this.operator = operator;
        this.chosen = chosen;
        this.set = set;
        this.start = start;
        this.clock = clock;
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        if (!asked || clock.nanoTime() - next >= 0) {
            asked = true;
            ask();
            next = clock.deadline(chosen.every);
        }
        Set<String> before = set.open().keySet();
        boolean changed = set.change(wanted, clock.nanoTime(), this::wake);
        Set<String> after = set.open().keySet();
        say("works in", after, before);
        say("has left", before, after);
        if (changed) {
            start.run();
            return BUSY;
        }
        complete |= known && set.isComplete() && set.opening().isEmpty();
        if (!set.isComplete()) {
            // A namespace that turns out to be forbidden makes room, and wakes nobody.
            return ROOM.toNanos();
        }
        return chosen.every.isZero() ? IDLE : Math.max(1, next - clock.nanoTime());
    }

    private void ask() {
        try {
            Set<String> names = new TreeSet<>(chosen.names.get());
            Set<String> wrong = names.stream().filter(name -> !Names.isLabel(name))
                    .collect(Collectors.toSet());
            names.removeAll(wrong);
            fails(wrong.isEmpty() ? "" : "leaves out " + wrong + ", which are no names of namespaces", null);
            wanted = names;
            known = true;
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            fails("keeps its namespaces, because their names are not known: " + e, e);
        }
    }

    private void fails(String how, @Nullable Throwable cause) {
        if (!how.equals(failure) && !how.isEmpty()) {
            log.warn("{} {} (setup.namespaces)", operator, how, cause);
        }
        failure = how;
    }

    private void say(String verb, Set<String> some, Set<String> others) {
        Set<String> told = new TreeSet<>(some);
        told.removeAll(others);
        if (!told.isEmpty()) {
            log.info("{} {} the namespace{} {}{}", operator, verb, told.size() == 1 ? "" : "s",
                    told.stream().limit(SHOWN).collect(Collectors.joining(", ")),
                    told.size() <= SHOWN ? "" : " and " + (told.size() - SHOWN) + " more");
        }
    }

    /** Why the operator does not do all its work yet after its start, one sentence each. */
    Set<String> reasons() {
        return complete
                ? Set.of()
                : Set.of(operator + " has not opened its namespaces yet" + (set.opening().isEmpty()
                        ? failure.isEmpty() ? "" : ": it " + failure
                        : ": " + String.join(", ", set.opening())));
    }
}
