package dev.wheelhouse.apiserver.admission;

import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * Finds the Secrets that a pod names and its account does not list (upstream: {@code limitSecretReferences} in
 * {@code plugin/pkg/admission/serviceaccount}).
 */
final class MountableSecrets {
    private MountableSecrets() {}

    /** The first Secret of a new pod that its account does not list, in upstream's words; null if there is none. */
    static @Nullable String notListed(JsonNode spec, JsonNode account) {
        Check secrets = new Check(account, "secrets", "secret");
        for (JsonNode volume : spec.path("volumes")) {
            if (volume.path("secret").isObject()) {
                secrets.accept("volume with secret.secretName=%s", Json.text(volume, "secret", "secretName"));
            }
        }
        inContainers(spec, "initContainers", "init container", secrets);
        inContainers(spec, "containers", "container", secrets);
        Check pulls = new Check(account, "imagePullSecrets", "imagePullSecret");
        int i = 0;
        for (JsonNode reference : spec.path("imagePullSecrets")) {
            pulls.accept("imagePullSecrets[" + i++ + "].name=%s", Json.text(reference, "name"));
        }
        return secrets.problem != null ? secrets.problem : pulls.problem;
    }

    /** The first Secret of the ephemeral containers that the pod's account does not list; null if there is none. */
    static @Nullable String notListedByDebuggers(JsonNode spec, JsonNode account) {
        Check secrets = new Check(account, "secrets", "secret");
        inContainers(spec, "ephemeralContainers", "ephemeral container", secrets);
        return secrets.problem;
    }

    private static void inContainers(JsonNode spec, String list, String kind, Check secrets) {
        for (JsonNode container : spec.path(list)) {
            String where = kind + " " + Json.text(container, "name") + " with ";
            for (JsonNode env : container.path("env")) {
                if (env.path("valueFrom").path("secretKeyRef").isObject()) {
                    secrets.accept(where + "envVar " + Json.text(env, "name") + " referencing secret.secretName=%s",
                            Json.text(env, "valueFrom", "secretKeyRef", "name"));
                }
            }
            for (JsonNode from : container.path("envFrom")) {
                if (from.path("secretRef").isObject()) {
                    secrets.accept(where + "envFrom referencing secret.secretName=%s",
                            Json.text(from, "secretRef", "name"));
                }
            }
        }
    }

    /** Finds the first name that an account does not list. */
    private static final class Check {
        private final String account;
        private final String kind;
        private final Set<String> listed = new HashSet<>();
        private @Nullable String problem;

        Check(JsonNode account, String list, String kind) {
            this.account = Json.text(account, "metadata", "name");
            this.kind = kind;
            account.path(list).forEach(reference -> listed.add(Json.text(reference, "name")));
        }

        /** @param where the place of the name, with {@code %s} for the name in quotes */
        void accept(String where, String name) {
            if (problem == null && !listed.contains(name)) {
                problem = where.replace("%s", "\"" + name + "\"") + " is not allowed because service account " + account
                        + " does not reference that " + kind;
            }
        }
    }
}
