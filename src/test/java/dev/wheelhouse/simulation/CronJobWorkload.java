package dev.wheelhouse.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * A user's changes of one CronJob that runs each minute, while the minutes pass. In the end it is suspended, so that
 * its last Jobs end and nothing more happens.
 */
final class CronJobWorkload implements Workload {
    private static final List<String> POLICIES = List.of("Allow", "Forbid", "Replace");

    private final String name;
    private final List<Step> steps = new ArrayList<>();

    CronJobWorkload(String name, Random random, boolean disrupted) {
        this.name = name;
        steps.add(Step.create("cronjob", """
                {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "%1$s"}, "spec": {
                 "schedule": "* * * * *", "concurrencyPolicy": "%2$s", "successfulJobsHistoryLimit": %3$d,
                 "failedJobsHistoryLimit": %4$d, "jobTemplate": {"spec": {"backoffLimit": 0, "template": {
                  "metadata": {"labels": {"app": "%1$s"}}, "spec": {"restartPolicy": "Never",
                   "containers": [{"name": "app", "image": "app:v1"}]}}}}}}""".formatted(name,
                policy(random), random.nextInt(3), random.nextInt(2)), "creates a CronJob"));
        int count = 2 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            steps.add(change(random, disrupted));
        }
        steps.add(patch("\"suspend\": true", "suspends the CronJob for good"));
    }

    private static String policy(Random random) {
        return POLICIES.get(random.nextInt(POLICIES.size()));
    }

    private Step change(Random random, boolean disrupted) {
        return switch (random.nextInt(disrupted ? 9 : 8)) {
            case 0 -> patch("\"concurrencyPolicy\": \"" + policy(random) + "\"", "changes the policy");
            case 1 -> patch("\"suspend\": " + random.nextBoolean(), "suspends or resumes the CronJob");
            case 2 -> patch("\"successfulJobsHistoryLimit\": " + random.nextInt(3), "changes the limit of the history");
            case 8 -> Step.disruption(name, random.nextBoolean());
            default -> new Step("waits for the next minute", CronJobWorkload::awaitMinute);
        };
    }

    private static void awaitMinute(Environment environment) {
        Instant now = environment.clock().now();
        environment.clock().advance(Duration.between(now, now.truncatedTo(ChronoUnit.MINUTES).plusMillis(60_200)));
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("cronjob", name, "{\"spec\": {" + spec + "}}", sentence);
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
        return Set.of(CronJobController.NAME, JobController.NAME);
    }

    @Override
    public Set<String> kinds() {
        return Set.of("cronjob", "job");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new CronJobInvariants());
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        String word = GoldenState.word(pod);
        if (word.equals("pending")) {
            return PodChange.READY;
        }
        if (hasEnded(pod) || (!calm && environment.random().nextInt(8) > 0)) {
            return null;
        }
        return environment.random().nextInt(4) == 0 ? PodChange.failed(1) : PodChange.SUCCEEDED;
    }

    /** {@inheritDoc} A change needs no answer: which runs it concerns depends on the time alone. */
    @Override
    public boolean isSeen(Api api) {
        return true;
    }

    @Override
    public Duration quiet() {
        return Duration.ofMinutes(2);
    }

    /** {@inheritDoc} How many runs there were depends on the time that the faults took. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        JsonNode cronJob = api.find("cronjob", name);
        lines.put("CronJob", cronJob == null
                ? "is gone"
                : "with " + cronJob.path("status").path("active").size() + " active Jobs");
        Map<String, JsonNode> jobs = api.list("job").stream().collect(Collectors.toMap(GoldenState::name, j -> j));
        List<JsonNode> pods = api.podsOf(name);
        lines.put("pods", pods.stream().filter(p -> !hasEnded(p)).count() + " running");
        lines.put("pods of deleted Jobs", pods.stream().filter(p -> !jobs.containsKey(jobOf(p))).count() + "");
        lines.put("Jobs", jobs.values().stream().filter(j -> !j.path("status").has("completionTime")
                && !j.path("status").has("failed")).count() + " running");
        return lines;
    }

    private static boolean hasEnded(JsonNode pod) {
        return Set.of("succeeded", "failed").contains(GoldenState.word(pod));
    }

    private static String jobOf(JsonNode pod) {
        return pod.path("metadata").path("labels").path("job-name").asString("");
    }
}
