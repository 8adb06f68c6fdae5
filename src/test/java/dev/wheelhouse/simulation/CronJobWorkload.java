package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.cronjob.CronJobController;
import dev.wheelhouse.controllers.job.JobController;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * A user's changes of one CronJob that is due every minute or every two minutes, while minutes pass at once. At the end
 * the user suspends it. The number of its runs is random, because time passes differently in each run.
 */
final class CronJobWorkload extends Workload {
    private final Random random;
    private final int kept;

    CronJobWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(CronJobController.NAME, JobController.NAME);
        creates("cronjob", "job");
        quietAfter(Duration.ofMinutes(3));
        this.random = random;
        kept = random.nextInt(3);
        steps.add(Step.create("cronjob", """
                {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "%s"}, "spec": {
                 "schedule": "*/%d * * * *", "concurrencyPolicy": "%s", "suspend": %b, %s
                 "successfulJobsHistoryLimit": %d, "failedJobsHistoryLimit": %d, "jobTemplate": {"spec":
                 {"backoffLimit": 0, "template": {"metadata": {"labels": {"app": "%s"}}, "spec": {"restartPolicy":
                  "Never", "containers": [{"name": "app", "image": "app:v1"}]}}}}}}""".formatted(name,
                1 + random.nextInt(2), policy(), random.nextInt(4) == 0,
                random.nextInt(4) == 0 ? "\"startingDeadlineSeconds\": " + (30 + random.nextInt(300)) + "," : "", kept,
                kept, name), "creates a CronJob"));
        int count = 3 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        steps.add(patch("\"suspend\": true", "suspends the CronJob"));
        if (random.nextInt(8) == 0) {
            steps.add(Step.delete("cronjob", name, "Background", "deletes the CronJob"));
        }
    }

    private String policy() {
        return List.of("Allow", "Forbid", "Replace").get(random.nextInt(3));
    }

    private void step(boolean disrupted) {
        switch (random.nextInt(disrupted ? 11 : 9)) {
            case 0, 1, 2, 3, 4, 5 -> {
                int seconds = 20 + random.nextInt(random.nextInt(4) == 0 ? 300 : 60);
                steps.add(Step.pause(Duration.ofSeconds(seconds)));
            }
            case 6 -> steps.add(patch("\"suspend\": " + random.nextBoolean(), "suspends the CronJob or resumes it"));
            case 7 -> steps.add(patch("\"concurrencyPolicy\": \"" + policy() + "\"", "changes the policy"));
            case 8 -> steps.add(patch("\"schedule\": \"*/" + (1 + random.nextInt(2)) + " * * * *\"",
                    "changes the schedule"));
            default -> steps.add(Step.disruption(name, random.nextBoolean()));
        }
    }

    private Step patch(String spec, String sentence) {
        return Step.patch("cronjob", name, "{\"spec\": {" + spec + "}}", sentence);
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new CronJobInvariants(truth), new JobInvariants(truth, history));
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        String word = ObjectFields.word(pod);
        if (word.equals("pending")) {
            return PodChange.READY;
        }
        if (!word.equals("ready") || (!calm && environment.random().nextInt(20) > 0)) {
            return null;
        }
        return environment.random().nextInt(4) == 0 ? PodChange.failed(1) : PodChange.SUCCEEDED;
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        List<JsonNode> jobs = api.list("job").stream().filter(j -> ObjectFields.owner(j).equals(name)).toList();
        JsonNode cronJob = api.find("cronjob", name);
        if (cronJob != null) {
            lines.put("CronJob", "active " + cronJob.path("status").path("active").size());
        }
        for (String end : List.of("Complete", "Failed")) {
            long ended = jobs.stream().filter(j -> end.equals(end(j)) && isReported(j, cronJob)).count();
            lines.put("Jobs " + end, ended <= kept ? "not too many" : ended + " of at most " + kept);
        }
        lines.put("Jobs running", String.valueOf(jobs.stream().filter(j -> end(j) == null).count()));
        return lines;
    }

    /** Whether the status contains a run. The Job of another run stays, so that the time does not run twice. */
    private static boolean isReported(JsonNode job, @Nullable JsonNode cronJob) {
        String last = cronJob == null ? "" : ObjectFields.text(cronJob.path("status"), "lastScheduleTime");
        return !last.isEmpty() && job.path("metadata").path("annotations")
                .path("batch.kubernetes.io/cronjob-scheduled-timestamp").asString("").compareTo(last) <= 0;
    }

    private static @Nullable String end(JsonNode job) {
        return job.path("status").path("conditions").valueStream()
                .filter(c -> Set.of("Complete", "Failed").contains(ObjectFields.text(c, "type"))
                        && ObjectFields.text(c, "status").equals("True"))
                .map(c -> ObjectFields.text(c, "type")).findFirst().orElse(null);
    }
}
