package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.controllers.job.TtlAfterFinishedController;
import dev.wheelhouse.controllers.podgc.PodGarbageCollector;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * A user's changes of one Job, Indexed or not. Nodes let a number of its pods fail, which the seed determines, and then
 * all others succeed, so that the Job ends in the same way in every run.
 */
final class JobWorkload extends Workload {
    /** The exit code for which a failure policy fails the whole Job. */
    private static final int FATAL = 42;

    private final Random random;
    private final boolean indexed;
    private final boolean perIndex;
    private final boolean failurePolicy;
    private final boolean waitsForEnds;
    private final boolean expires;
    private final boolean doomed;
    private final int completions;
    /** Whether pods end otherwise than by themselves, so that the number of failures is random. */
    private boolean disturbed;
    /** The parallelism at the last creation. */
    private int parallelism;
    /** The failures that are left, by index; for a Job without indexes all under -1. */
    private final Map<Integer, Integer> failures = new TreeMap<>();

    JobWorkload(String name, Random random, boolean disrupted) {
        super(name);
        creates("job");
        // Upstream's longest delay after a failure is ten minutes.
        quietAfter(Duration.ofMinutes(11));
        this.random = random;
        disturbed = disrupted;
        indexed = random.nextBoolean();
        perIndex = indexed && random.nextInt(3) == 0;
        failurePolicy = random.nextInt(3) == 0;
        waitsForEnds = failurePolicy || random.nextInt(4) == 0;
        expires = random.nextInt(8) == 0;
        needs(JobController.NAME);
        if (expires) {
            needs(TtlAfterFinishedController.NAME);
        }
        if (waitsForEnds) {
            // The collector of pods alone lets a pod fail that was deleted before it had a node.
            needs(PodGarbageCollector.NAME);
        }
        completions = 1 + random.nextInt(5);
        doomed = failurePolicy && random.nextInt(4) == 0;
        for (int i = 0; i < (indexed ? completions : 1); i++) {
            failures.put(indexed ? i : -1, random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0);
        }
        steps.add(create());
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        int last = 1 + random.nextInt(3);
        disturbed |= last < parallelism;
        steps.add(patch("\"suspend\": false, \"parallelism\": " + last, "runs"));
        if (random.nextInt(8) == 0) {
            steps.add(delete("Background"));
        }
    }

    private Step create() {
        parallelism = random.nextInt(4);
        String spec = "\"completions\": " + completions + ", \"parallelism\": " + parallelism
                + ", \"suspend\": " + (random.nextInt(5) == 0)
                + ", \"podReplacementPolicy\": \"" + (waitsForEnds ? "Failed" : "TerminatingOrFailed") + "\""
                + (indexed ? ", \"completionMode\": \"Indexed\"" : "")
                + (perIndex ? ", \"backoffLimitPerIndex\": 1" : ", \"backoffLimit\": 30")
                + (expires ? ", \"ttlSecondsAfterFinished\": 5" : "")
                + (failurePolicy
                        ? ", \"podFailurePolicy\": {\"rules\": [{\"action\": \"FailJob\", \"onExitCodes\": "
                                + "{\"operator\": \"In\", \"values\": [" + FATAL + "]}}]}"
                        : "");
        Map<Integer, Integer> all = new TreeMap<>(failures);
        Step create = Step.create("job", """
                {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "%s"}, "spec": {%s,
                 "template": {"metadata": {"labels": {"app": "%s"}}, "spec": {"restartPolicy": "Never",
                  "containers": [{"name": "app", "image": "app:v1"}]}}}}""".formatted(name, spec, name),
                "creates a Job, of whose pods " + failures + " fail");
        return new Step(create.sentence(), e -> {
            failures.putAll(all);
            create.act().perform(e);
        });
    }

    private void step(boolean disrupted) {
        switch (random.nextInt(disrupted ? 8 : 6)) {
            case 0, 1 -> {
                disturbed = true;
                steps.add(patch("\"parallelism\": " + random.nextInt(4), "changes the parallelism of"));
            }
            case 2 -> {
                disturbed = true;
                steps.add(patch("\"suspend\": true", "suspends"));
                steps.add(patch("\"suspend\": false", "resumes"));
            }
            case 3 -> {
                disturbed = true;
                steps.add(patch("\"suspend\": true", "suspends"));
            }
            case 4 -> {
                if (!expires && random.nextInt(3) == 0) {
                    disturbed = true;
                    steps.add(delete(random.nextBoolean() ? "Background" : "Foreground"));
                    steps.add(create());
                }
            }
            case 5 -> steps.add(new Step("waits", e -> {}));
            default -> steps.add(Step.disruption(name, random.nextBoolean()));
        }
    }

    private Step delete(String policy) {
        Step deletion = Step.ifPresent("job", name, "deletes", e -> e.api().delete("job", name, policy));
        return policy.equals("Foreground") ? deletion.again() : deletion;
    }

    /** A change of the Job, which may have expired. */
    private Step patch(String spec, String sentence) {
        return Step.ifPresent("job", name, sentence, e -> e.api().patch("job", name, "{\"spec\": {" + spec + "}}"));
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        Invariant counts = new JobInvariants(truth, history);
        Invariant expiry = new ExpiryInvariants(truth, history);
        return waitsForEnds ? List.of(counts, expiry, new PodGarbageInvariants(truth)) : List.of(counts, expiry);
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        String word = ObjectFields.word(pod);
        if (word.equals("pending")) {
            return PodChange.READY;
        }
        if (Set.of("succeeded", "failed").contains(word) || (!calm && environment.random().nextInt(4) > 0)) {
            return null;
        }
        int index = indexed ? index(pod) : -1;
        int left = failures.getOrDefault(index, 0);
        if (left > 0) {
            failures.put(index, left - 1);
            return PodChange.failed(doomed ? FATAL : 1);
        }
        return PodChange.SUCCEEDED;
    }

    private static int index(JsonNode pod) {
        return Integer.parseInt(pod.path("metadata").path("annotations")
                .path("batch.kubernetes.io/job-completion-index").asString("-1"));
    }

    @Override
    public boolean isSeen(Api api) {
        JsonNode job = api.find("job", name);
        if (job == null) {
            return true;
        }
        return !ObjectFields.isDeleted(job)
                && (isFinished(job) || (job.path("spec").path("suspend").asBoolean(false)
                        ? condition(job, "Suspended") != null && job.path("status").path("active").asInt(0) == 0
                        : job.path("status").has("startTime")));
    }

    /**
     * {@inheritDoc} With a limit for each index, a failed pod keeps its finalizer until its replacement exists, which
     * cannot be created in a namespace that is being deleted; and pods go before Jobs.
     */
    @Override
    public boolean holdsNamespace() {
        return perIndex;
    }

    private static @Nullable JsonNode condition(JsonNode job, String type) {
        return job.path("status").path("conditions").valueStream().filter(c -> ObjectFields.text(c, "type").equals(type)
                && ObjectFields.text(c, "status").equals("True")).findFirst().orElse(null);
    }

    private static boolean isFinished(JsonNode job) {
        return condition(job, "Complete") != null || condition(job, "Failed") != null;
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode job = api.find("job", name);
        long running = api.podsOf(name).stream()
                .filter(p -> !Set.of("succeeded", "failed").contains(ObjectFields.word(p))).count();
        lines.put("pods", running + " running");
        if (job == null) {
            return lines;
        }
        JsonNode status = job.path("status");
        JsonNode failed = condition(job, "Failed");
        JsonNode end = failed == null ? condition(job, "Complete") : failed;
        // A limit for each index counts the pods of a suspended Job that run at that moment.
        boolean anyEnd = perIndex && disturbed;
        lines.put("Job", end == null
                ? "is not finished"
                : anyEnd ? "is finished" : ObjectFields.text(end, "type") + " " + ObjectFields.text(end, "reason"));
        lines.put("pods that are not counted",
                status.path("uncountedTerminatedPods").toString().replaceAll("[{}]", ""));
        if (failed == null && !anyEnd) {
            // A deposed manager that does not know it yet may start pods beyond the completions, as upstream's may.
            int completions = job.path("spec").path("completions").asInt(Integer.MAX_VALUE);
            lines.put("succeeded", Math.min(status.path("succeeded").asInt(0), completions) + " "
                    + status.path("completedIndexes"));
            if (!disturbed) {
                lines.put("failed", status.path("failed").asInt(0) + " " + status.path("failedIndexes"));
            }
        }
        return lines;
    }
}
