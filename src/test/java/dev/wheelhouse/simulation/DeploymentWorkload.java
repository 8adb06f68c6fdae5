package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.wheelhouse.simulation.Workload.Step;

/**
 * A user's changes of one Deployment. At the end the Deployment is not paused and has an image that runs, so that its
 * final state does not depend on the times of the changes.
 */
final class DeploymentWorkload {
    /** An image whose pods never become ready. */
    static final String BAD_IMAGE = "app:bad";
    private static final String NAME = "web";
    private static final String[] SURGES = {"1", "0", "2", "\"25%\"", "\"100%\"", "\"50%\""};
    private static final String[] UNAVAILABLES = {"1", "2", "\"25%\"", "0", "\"50%\""};

    private final Random random;
    private final String manifest;
    private final List<Step> steps = new ArrayList<>();
    /** The images of the revisions, the newest last. */
    private final List<String> revisions = new ArrayList<>();
    private String image = "app:v1";
    private boolean paused;

    DeploymentWorkload(Random random, boolean disrupted) {
        this.random = random;
        boolean late = random.nextInt(4) == 0;
        manifest = """
                {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": %d,
                 "minReadySeconds": %d, "progressDeadlineSeconds": %d,
                 "strategy": %s, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata":
                 {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:v1"}]}}}}"""
                .formatted(random.nextInt(5), late ? 5 : 0, random.nextInt(4) == 0 ? 7 : 600,
                        strategy(random.nextInt(6) == 0));
        release();
        int count = 2 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            step(disrupted);
        }
        end();
    }

    String manifest() {
        return manifest;
    }

    List<Step> steps() {
        return List.copyOf(steps);
    }

    private String strategy(boolean recreate) {
        String surge = SURGES[random.nextInt(SURGES.length)];
        String unavailable = surge.equals("0") ? "1" : UNAVAILABLES[random.nextInt(UNAVAILABLES.length)];
        return recreate
                ? "{\"type\": \"Recreate\", \"rollingUpdate\": null}"
                : "{\"type\": \"RollingUpdate\", \"rollingUpdate\": {\"maxSurge\": " + surge + ", \"maxUnavailable\": "
                        + unavailable + "}}";
    }

    /** Makes the template a revision, unless the Deployment is paused. */
    private void release() {
        if (!paused) {
            revisions.remove(image);
            revisions.add(image);
        }
    }

    private void step(boolean disrupted) {
        int replicas = random.nextInt(random.nextInt(4) == 0 ? 10 : 6);
        switch (random.nextInt(disrupted ? 16 : 14)) {
            case 0, 1, 2 -> {
                image = "app:v" + (1 + random.nextInt(4));
                release();
                steps.add(patch(template(), "wants image " + image));
            }
            case 3, 4, 5 -> steps.add(patch("\"replicas\": " + replicas, "wants " + replicas + " pods"));
            case 6, 7 -> {
                image = "app:v" + (1 + random.nextInt(4));
                release();
                steps.add(patch("\"replicas\": " + replicas + ", " + template(), "wants " + replicas
                        + " pods of image " + image));
            }
            case 8 -> {
                image = BAD_IMAGE;
                release();
                steps.add(patch(template(), "wants an image that does not start"));
                steps.add(patch("\"replicas\": " + replicas, "wants " + replicas + " pods in the middle of it"));
            }
            case 9, 10 -> {
                if (paused) {
                    resume();
                } else {
                    paused = true;
                    steps.add(patch("\"paused\": true", "pauses the rollout"));
                }
            }
            case 11 -> undo();
            case 12 ->
                steps.add(patch("\"replicas\": " + replicas + ", \"strategy\": " + strategy(random.nextBoolean()),
                        "changes the strategy and wants " + replicas + " pods"));
            case 13 -> createAgain(random.nextBoolean() ? "Orphan" : "Foreground");
            default -> steps.add(Workload.disruption(random));
        }
    }

    private void resume() {
        paused = false;
        release();
        steps.add(patch("\"paused\": null", "resumes the rollout"));
    }

    private void undo() {
        if (!paused && revisions.size() > 1) {
            image = revisions.get(revisions.size() - 2);
            release();
            steps.add(new Step("undo", NAME, "", "takes the last rollout back"));
        }
    }

    private void createAgain(String policy) {
        steps.add(new Step("delete", NAME, "{\"propagationPolicy\": \"" + policy + "\"}", "deletes the Deployment with "
                + (policy.equals("Orphan") ? "its ReplicaSets left behind" : "all that is its own going first")));
        steps.add(new Step("create", "", manifest, "creates it again"));
        if (policy.equals("Foreground")) {
            revisions.clear();
        }
        paused = false;
        image = "app:v1";
        release();
    }

    private void end() {
        if (image.equals(BAD_IMAGE)) {
            image = "app:v5";
            release();
            steps.add(patch(template(), "wants image " + image));
        }
        if (paused) {
            resume();
        }
        if (random.nextInt(8) == 0) {
            steps.add(new Step("delete", NAME, "{\"propagationPolicy\": \"Background\"}", "deletes the Deployment"));
        }
    }

    private String template() {
        return "\"template\": {\"spec\": {\"containers\": [{\"name\": \"app\", \"image\": \"" + image + "\"}]}}";
    }

    private static Step patch(String spec, String sentence) {
        return Workload.patch(NAME, "{\"spec\": {" + spec + "}}", sentence);
    }
}
