package dev.wheelhouse.recording;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Records many scenarios from real control planes. The first control plane plays {@code -Drecord.atOnce} scenarios at a
 * time. Scenarios that disturb others run one after the other on each of {@code -Drecord.planes} control planes.
 */
final class Session {
    private static final int AT_ONCE = Integer.getInteger("record.atOnce", 6);
    private static final int PLANES = Integer.getInteger("record.planes", 1);

    private final Use use;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    /** Gets each recording, on any thread. */
    interface Use {
        void of(Scenario scenario, Recording recording) throws Exception;
    }

    private Session(Use use) {
        this.use = use;
    }

    /** @return a line for each scenario that could not be recorded or used */
    static List<String> record(Path directory, List<Scenario> all, Use use) throws Exception {
        Queue<Scenario> alone = new ConcurrentLinkedQueue<>(all.stream().filter(Scenario::isAlone).toList());
        List<Scenario> together = all.stream().filter(s -> !s.isAlone()).toList();
        List<ControlPlane> planes = new ArrayList<>();
        Session session = new Session(use);
        try {
            // One after the other, because each looks for free ports.
            for (int i = 0; i == 0 || i < Math.min(PLANES, alone.size()); i++) {
                planes.add(new ControlPlane(Files.createDirectories(directory.resolve("plane-" + i))));
            }
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                List<Future<?>> plays = new ArrayList<>();
                for (ControlPlane plane : planes) {
                    List<Scenario> first = plane == planes.getFirst() ? together : List.of();
                    plays.add(threads.submit(() -> {
                        session.play(plane, first, alone);
                        return null;
                    }));
                }
                for (Future<?> play : plays) {
                    play.get();
                }
            }
        } finally {
            for (ControlPlane plane : planes) {
                plane.close();
            }
        }
        return List.copyOf(session.failures);
    }

    private void play(ControlPlane plane, List<Scenario> together, Queue<Scenario> alone) throws Exception {
        Actors actors = new Actors(plane.user(), "default", new Names());
        actors.addNodes();
        if (!together.isEmpty()) {
            plane.runManager(Set.of(), Map.of());
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            together.forEach(scenario -> threads.execute(() -> play(plane, scenario)));
        }
        for (Scenario scenario = alone.poll(); scenario != null; scenario = alone.poll()) {
            if (scenario.hasNodes()) {
                actors.removeNodes();
            }
            play(plane, scenario);
            actors.addNodes();
        }
    }

    private void play(ControlPlane plane, Scenario scenario) {
        try {
            if (scenario.isAlone()) {
                plane.runManager(scenario.controllers(), scenario.options());
            }
            use.of(scenario, Recorder.record(plane, scenario));
        } catch (Exception | AssertionError e) {
            failures.add(scenario + ": " + e);
        }
    }
}
