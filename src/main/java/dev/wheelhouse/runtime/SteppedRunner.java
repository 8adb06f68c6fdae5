package dev.wheelhouse.runtime;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A runner without threads: it keeps the loops that it is given, and the owner steps them. A task runs at once, on the
 * thread that hands it over. For tests and simulations. Not thread safe.
 */
public final class SteppedRunner extends LoopRunner {
    private final Map<Loop, String> loops = new LinkedHashMap<>();

    public SteppedRunner(String name, Clock clock) {
        super(name, clock);
    }

    @Override
    public boolean givesThreads() {
        return false;
    }

    @Override
    public void start(String loopName, Loop loop) {
        loops.put(loop, loopName);
    }

    @Override
    public void startOnPlatformThread(String loopName, Loop loop) {
        start(loopName, loop);
    }

    @Override
    public void stop(Loop loop) {
        loop.close();
        loops.remove(loop);
    }

    @Override
    public void run(String taskName, Runnable task) {
        task.run();
    }

    /** The loops in the order of their start, each with its name. */
    public Map<Loop, String> loops() {
        return Collections.unmodifiableMap(loops);
    }

    /** Closes all loops in reverse order of their start. */
    @Override
    public List<String> close(Duration grace) {
        List.copyOf(loops.keySet()).reversed().forEach(Loop::close);
        loops.clear();
        return List.of();
    }
}
