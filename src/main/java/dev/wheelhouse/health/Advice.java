package dev.wheelhouse.health;

import java.util.regex.Pattern;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.health.Assessment.Item;

/**
 * The advice to people who see a problem.
 *
 * @param kind the kind of the cause, one word, such as {@code Image}; a label of metrics
 * @param who the people who can do something
 * @param command the next command to run, as raw text for a shell
 */
public record Advice(String kind, String who, String command) {
    /** An answer about the content of an object. An answer about the rights of its writer names a user. */
    private static final Pattern REFUSED = Pattern.compile(
            "denied the request|denied request|violates PodSecurity|is invalid: |is forbidden: (?!User )");

    /**
     * @param cause the cause in one sentence
     * @param own the health by itself of the object that the cause is about
     * @param origin that object
     */
    static Advice of(String cause, Health own, Item origin) {
        ObjectKey key = origin.key();
        String name = quoted(key.name());
        String in = key.namespace().isEmpty() ? "" : " -n " + key.namespace();
        String describe = "kubectl describe" + in + " " + origin.type().groupResource() + " " + name;
        if (origin.type().equals(ResourceType.PODS) && (cause.endsWith(own.cause()) && !own.isWell())) {
            return pod(own.text(), describe, "kubectl logs" + in + " " + name + " --all-containers --previous");
        }
        if (cause.contains("exceeded quota")) {
            return new Advice("Quota", "who sets the namespace's quota", "kubectl describe" + in + " resourcequota");
        }
        if (cause.contains("failed calling webhook")) {
            return new Advice("Webhook", "who runs the webhook",
                    "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations");
        }
        if (REFUSED.matcher(cause).find()) {
            return new Advice("Admission", "who wrote the object or the policy", describe);
        }
        if (cause.contains("403 ") || cause.contains("is forbidden")) {
            return new Advice("Rights", "who grants rights in this cluster",
                    "kubectl get rolebindings,clusterrolebindings -A -o wide");
        }
        return switch (origin.type().groupResource()) {
            case "nodes" -> new Advice("Node", "who runs the machines", describe);
            case "persistentvolumeclaims", "persistentvolumes", "volumeattachments.storage.k8s.io" -> new Advice(
                    "Storage", "who provides storage", describe);
            case "services", "ingresses.networking.k8s.io" -> new Advice("Address", "who provides load balancers",
                    describe);
            default -> new Advice(own.level() == Health.Level.PROGRESSING ? "Waiting" : "State",
                    "who owns the object", describe);
        };
    }

    /** A name as one word of a shell: those of roles, for example, may have any characters but a few. */
    private static String quoted(String name) {
        return name.matches("[\\w.:-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }

    private static Advice pod(String text, String describe, String logs) {
        String reason = text.substring(text.indexOf(':') + 1);
        if (HealthRules.IMAGE.contains(reason)) {
            return new Advice("Image", "who names the image, or its pull secret", describe);
        }
        return switch (reason) {
            case "CrashLoopBackOff", "Error", "OOMKilled", "failed" -> new Advice("Crash", "who writes the program",
                    logs);
            case "not scheduled" -> new Advice("Scheduling", "who writes the pod's template, or runs the machines",
                    describe);
            case "Evicted", "NodeShutdown", "Terminated" -> new Advice("Node", "who runs the machines", describe);
            default -> new Advice("Configuration", "who writes the pod's template", describe);
        };
    }
}
