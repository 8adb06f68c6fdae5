package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * A user's changes of a Job: its parallelism, and whether it is suspended. Its first pods fail; in a Job with indexes
 * that is the first pod of some of them. All others succeed.
 */
final class JobsWorkload implements Workload {
    private final String name;
    private final boolean indexed;
    private final boolean limitPerIndex;
    private final int failures;
    private final List<Step> steps = new ArrayList<>();

    JobsWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        indexed = random.nextBoolean();
        limitPerIndex = indexed && random.nextBoolean();
        // The backoff stays at ten seconds, so that a run at rest has nothing to wait for.
        failures = disrupted ? 0 : random.nextInt(limitPerIndex ? 3 : 2);
        int completions = 1 + random.nextInt(6);
        String mode = indexed ? "\"completionMode\": \"Indexed\", " : "";
        String limit = limitPerIndex ? "\"backoffLimitPerIndex\": 9, " : "\"backoffLimit\": 99, ";
        // A pod that is deleted before it is bound never ends by itself, and must be replaced at once.
        String replacement = !disrupted && random.nextBoolean() ? "\"podReplacementPolicy\": \"Failed\", " : "";
        create(mode + limit + replacement + "\"completions\": " + completions + ", \"parallelism\": "
                + (1 + random.nextInt(4)), "creates a Job");
        int count = random.nextInt(4);
        boolean suspended = false;
        for (int i = 0; i < count; i++) {
            if (disrupted && i == 0) {
                steps.add(Step.disruption(name, true));
            } else if (random.nextBoolean()) {
                suspended = !suspended;
                patch("suspend", suspended, (suspended ? "suspends " : "resumes ") + name);
            } else {
                int parallelism = random.nextInt(5);
                patch("parallelism", parallelism, "wants " + parallelism + " pods of " + name + " at a time");
            }
        }
        if (random.nextInt(5) == 0) {
            steps.add(Step.delete("job", name, random.nextBoolean() ? "Background" : "Foreground", "deletes " + name));
            return;
        }
        patch("suspend", false, "resumes " + name + " at last");
        patch("parallelism", 2, "wants 2 pods of " + name + " at a time, at last");
    }

    private void create(String spec, String sentence) {
        steps.add(Step.create("job", """
                {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "%1$s"}, "spec": {%2$s,
                 "template": {"metadata": {"labels": {"app": "%1$s"}}, "spec": {"restartPolicy": "Never",
                  "containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name, spec), sentence));
    }

    private void patch(String field, Object value, String sentence) {
        steps.add(Step.patch("job", name, "{\"spec\": {\"" + field + "\": " + value + "}}", sentence));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<Step> steps() {
        return steps;
    }

    @Override
    public Set<String> controllers() {
        return Set.of(JobController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of("job");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new JobInvariants(truth, history));
    }

    /** The status tells of nothing but a suspension, and what a Job becomes does not depend on what is seen. */
    @Override
    public boolean isSeen(Api api) {
        return true;
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        String word = GoldenState.word(pod);
        if (Set.of("pending", "running").contains(word)) {
            return PodChange.READY;
        }
        if (!word.equals("ready")) {
            return null;
        }
        return fails(pod, environment.api()) ? PodChange.failed(1) : PodChange.SUCCEEDED;
    }

    private boolean fails(JsonNode pod, Api api) {
        if (!indexed) {
            return api.podsOf(name).stream().filter(p -> GoldenState.word(p).equals("failed")).count() < failures;
        }
        int index = pod.at("/metadata/annotations").path("batch.kubernetes.io/job-completion-index").asInt(0);
        return index < failures && api.podsOf(name).stream()
                .noneMatch(p -> GoldenState.word(p).equals("failed") && p.at("/metadata/annotations")
                        .path("batch.kubernetes.io/job-completion-index").asInt(0) == index);
    }

    /** Pods of a Job are left out, because a deposed manager may create one too many, and it may succeed. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode job = api.find("job", name);
        if (job == null) {
            lines.put("pods", String.valueOf(api.podsOf(name).size()));
        } else {
            List<String> conditions = new ArrayList<>();
            job.at("/status/conditions").forEach(c -> conditions.add(c.path("type").asString() + "="
                    + c.path("status").asString() + " " + c.path("reason").asString()));
            conditions.removeIf(c -> c.startsWith("Suspended"));
            lines.put("Job", conditions + " " + job.at("/status/completedIndexes").asString("") + " "
                    + job.at("/status/failedIndexes").asString(""));
        }
        return lines;
    }
}
