package dev.wheelhouse.recording;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Records many scenarios from one real control plane, {@code -Drecord.atOnce} of them at a time. Scenarios that disturb
 * others run one after the other.
 */
final class Session {
    private static final int AT_ONCE = Integer.getInteger("record.atOnce", 6);

    private final ControlPlane plane;
    private final Use use;
    private final List<String> failures = new ArrayList<>();

    /** Gets each recording, on any thread. */
    interface Use {
        void of(Scenario scenario, Recording recording) throws Exception;
    }

    private Session(ControlPlane plane, Use use) {
        this.plane = plane;
        this.use = use;
    }

    /** @return a line for each scenario that could not be recorded or used */
    static List<String> record(Path directory, List<Scenario> all, Use use) throws Exception {
        try (ControlPlane plane = new ControlPlane(directory)) {
            return new Session(plane, use).record(all);
        }
    }

    private List<String> record(List<Scenario> all) throws Exception {
        plane.runManager(Set.of(), Map.of());
        Actors actors = new Actors(plane.user(), "default", new Names());
        actors.addNodes();
        together(all.stream().filter(s -> !s.isAlone()).toList());
        for (Scenario scenario : all.stream().filter(Scenario::isAlone).toList()) {
            if (scenario.hasNodes()) {
                actors.removeNodes();
            }
            plane.runManager(scenario.controllers(), scenario.options());
            together(List.of(scenario));
            actors.addNodes();
        }
        return failures;
    }

    private void together(List<Scenario> scenarios) throws InterruptedException {
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            Map<Scenario, Future<?>> running = new LinkedHashMap<>();
            scenarios.forEach(s -> running.put(s, threads.submit(() -> {
                use.of(s, Recorder.record(plane, s));
                return null;
            })));
            for (Map.Entry<Scenario, Future<?>> run : running.entrySet()) {
                try {
                    run.getValue().get();
                } catch (ExecutionException e) {
                    failures.add(run.getKey() + ": " + e.getCause());
                }
            }
        }
    }
}
