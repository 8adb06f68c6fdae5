package dev.wheelhouse.controllers.statefulset;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Attempt;
import dev.wheelhouse.controller.SyncRun;

/**
 * Does tasks: one after the other, or many at a time, in batches of 1, 2, 4, … (upstream: {@code runForAll} and
 * {@code slowStartBatch} in {@code pkg/controller/statefulset/stateful_set_control.go}). A batch with a failure is the
 * last one.
 */
record PodTasks(SyncRun sync) {
    private static final int LARGEST_BATCH = 500;

    /** A task that is being done. */
    private static final class Run {
        final PodTask task;
        final List<Attempt> attempts = new ArrayList<>();
        final List<Action> events = new ArrayList<>();
        @Nullable
        KubeApiException error;
        boolean goesOn = true;

        Run(PodTask task) {
            this.task = task;
        }

        void take(int stage, List<Attempt> tried) {
            PodTask.Outcome outcome = task.after(stage, tried, attempts);
            attempts.addAll(tried);
            events.addAll(outcome.events());
            error = outcome.error() == null ? error : outcome.error();
            goesOn = outcome.goesOn();
        }
    }

    /** @return the first failure; null if all tasks succeeded */
    @Nullable
    KubeApiException run(List<PodTask> tasks, boolean oneByOne) {
        List<List<PodTask>> pods = byPod(tasks);
        int size = 1;
        for (int from = 0; from < pods.size();) {
            int to = Math.min(pods.size(), from + size);
            KubeApiException error = runBatch(pods.subList(from, to));
            if (error != null) {
                return error;
            }
            from = to;
            size = oneByOne ? 1 : Math.min(2 * size, LARGEST_BATCH);
        }
        return null;
    }

    /** The tasks of each pod, which follow each other in the list. */
    private static List<List<PodTask>> byPod(List<PodTask> tasks) {
        List<List<PodTask>> pods = new ArrayList<>();
        for (PodTask task : tasks) {
            if (pods.isEmpty() || pods.getLast().getLast().pod() != task.pod()) {
                pods.add(new ArrayList<>());
            }
            pods.getLast().add(task);
        }
        return pods;
    }

    /** Does the first tasks of all pods, then the second ones of those pods whose first one succeeded, and so on. */
    private @Nullable KubeApiException runBatch(List<List<PodTask>> pods) {
        KubeApiException error = null;
        List<List<PodTask>> left = pods;
        for (int i = 0; !left.isEmpty(); i++) {
            int number = i;
            List<Run> runs = left.stream().map(tasks -> new Run(tasks.get(number))).toList();
            runStages(runs);
            List<Action> events = new ArrayList<>();
            List<List<PodTask>> next = new ArrayList<>();
            for (int pod = 0; pod < runs.size(); pod++) {
                Run run = runs.get(pod);
                events.addAll(run.events);
                error = error == null ? run.error : error;
                if (run.error == null && left.get(pod).size() > i + 1) {
                    next.add(left.get(pod));
                }
            }
            sync.execute(events);
            left = next;
        }
        return error;
    }

    private void runStages(List<Run> runs) {
        for (int stage = 0; stage < PodTask.STAGES; stage++) {
            int number = stage;
            List<Run> going = runs.stream().filter(run -> run.goesOn).toList();
            List<Action.Write> writes = going.stream().flatMap(run -> run.task.stage(number).stream()).toList();
            List<Attempt> attempts = writes.isEmpty()
                    ? List.of()
                    : sync.execute(List.of(Action.Batch.each(writes))).attempts();
            int next = 0;
            for (Run run : going) {
                int count = run.task.stage(stage).size();
                run.take(stage, attempts.subList(next, next + count));
                next += count;
            }
        }
    }
}
