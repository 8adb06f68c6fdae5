package dev.wheelhouse.apiserver.admission;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.Ids;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.work.Deadline;
import dev.wheelhouse.facts.PodReferences;

/**
 * Gives a pod its service account: the name of the account, a volume with a token for the API, and the secrets for
 * image pulls. A mirror pod gets nothing and may name neither an account nor a Secret. The pods of an account with the
 * annotation {@code kubernetes.io/enforce-mountable-secrets} may only name the Secrets that the account lists
 * (upstream: {@code plugin/pkg/admission/serviceaccount}).
 */
record PodAccounts(ObjectStore store) implements AdmissionPlugin {
    private static final String VOLUME = "kube-api-access-";
    private static final String MOUNTED_AT = "/var/run/secrets/kubernetes.io/serviceaccount";
    private static final String ENFORCE = "kubernetes.io/enforce-mountable-secrets";
    /** The texts that Go reads as true. */
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");
    /** The lifetime of tokens. The odd number tells the server that nobody chose the lifetime on purpose. */
    private static final int TOKEN_SECONDS = 3607;
    private static final int DEFAULT_MODE = 0644;

    private static final String DEFAULT = "default";
    private static final int ATTEMPTS = 10;
    private static final Duration PAUSE = Duration.ofMillis(150);

    @Override
    public void mutate(ResourceType type, ObjectNode pod, @Nullable ObjectNode old) {
        if (type.equals(ResourceType.PODS) && old == null) {
            admit(pod);
        }
    }

    /** Checks a new pod, and a pod whose ephemeral containers have changed. */
    @Override
    public void validate(ResourceType type, ObjectNode pod, @Nullable ObjectNode old) {
        if (!type.equals(ResourceType.PODS)) {
            return;
        }
        if (old == null && PodValidation.isMirror(pod)) {
            checkMirror(pod);
        } else if (old == null) {
            check(pod, account(pod));
        } else if (!pod.path("spec").path("ephemeralContainers").equals(old.path("spec").path("ephemeralContainers"))) {
            ObjectNode account = account(pod);
            if (enforces(account)) {
                refuse(pod, MountableSecrets.notListedByDebuggers(pod.path("spec"), account));
            }
        }
    }

    /** @throws StatusException 403 if there is no such account, or the pod names what it may not name */
    private void admit(ObjectNode pod) {
        if (PodValidation.isMirror(pod)) {
            checkMirror(pod);
            return;
        }
        ObjectNode spec = Json.child(pod, "spec");
        String name = Json.text(spec, "serviceAccountName");
        if (name.isEmpty()) {
            name = Json.text(spec, "serviceAccount");
        }
        name = name.isEmpty() ? DEFAULT : name;
        spec.put("serviceAccountName", name);
        spec.put("serviceAccount", name);
        ObjectNode account = account(pod);
        JsonNode wish = spec.has("automountServiceAccountToken") ? spec : account;
        if (wish.path("automountServiceAccountToken").asBoolean(true)) {
            mountToken(pod, spec);
        }
        if (spec.path("imagePullSecrets").isEmpty() && !account.path("imagePullSecrets").isEmpty()) {
            spec.set("imagePullSecrets", account.get("imagePullSecrets"));
        }
        check(pod, account);
    }

    private static void check(ObjectNode pod, ObjectNode account) {
        refuse(pod, enforces(account) ? MountableSecrets.notListed(pod.path("spec"), account) : null);
    }

    private static void checkMirror(ObjectNode pod) {
        if (!Json.text(pod, "spec", "serviceAccountName").isEmpty()) {
            refuse(pod, "a mirror pod may not reference service accounts");
        }
        for (PodReferences.Reference reference : PodReferences.of(pod)) {
            switch (reference.resource()) {
                case "secrets" -> refuse(pod, "a mirror pod may not reference secrets");
                case "serviceaccounts" ->
                    refuse(pod, "a mirror pod may not use ServiceAccountToken volume projections");
                default -> {
                }
            }
        }
    }

    private static boolean enforces(ObjectNode account) {
        return TRUE.contains(account.path("metadata").path("annotations").path(ENFORCE).asString(""));
    }

    /** @throws StatusException 403 if the pod has no account, or one that does not exist */
    private ObjectNode account(ObjectNode pod) {
        String name = Json.text(pod, "spec", "serviceAccountName");
        String namespace = Meta.namespace(pod);
        if (name.isEmpty()) {
            refuse(pod, "no service account specified for pod " + namespace + "/" + Meta.name(pod));
        }
        StoredObject found = account(namespace, name);
        if (found == null) {
            refuse(pod, "error looking up service account " + namespace + "/" + name + ": serviceaccount \""
                    + name + "\" not found");
        }
        return Objects.requireNonNull(found).tree();
    }

    /** The account; null if there is none. A controller is about to make the default account of a new namespace. */
    private @Nullable StoredObject account(String namespace, String name) {
        StoredObject found = store.get("serviceaccounts", namespace, name);
        for (int i = 1; found == null && name.equals(DEFAULT) && i < ATTEMPTS; i++) {
            Deadline.check();
            LockSupport.parkNanos(this, PAUSE.toNanos());
            found = store.get("serviceaccounts", namespace, name);
        }
        return found;
    }

    private static void refuse(ObjectNode pod, @Nullable String why) {
        if (why != null) {
            throw Errors.forbidden(ResourceType.PODS, pod, why);
        }
    }

    private static void mountToken(ObjectNode pod, ObjectNode spec) {
        ObjectNode present = tokenVolume(spec);
        String name = present == null ? volumeName(pod) : Json.text(present, "name");
        boolean mounted = false;
        for (ObjectNode container : containers(spec)) {
            mounted |= mount(container, name);
        }
        if (mounted && present == null) {
            spec.withArray("volumes").add(volume(name));
        }
    }

    /**
     * Derives the name of the volume from the name of the pod. It must differ only from the other volumes of the pod.
     */
    private static String volumeName(ObjectNode pod) {
        long seed = 31L * Meta.namespace(pod).hashCode() + Meta.name(pod).hashCode();
        return new Ids(new SplittableRandom(seed)).name(VOLUME);
    }

    /** @return whether the token was mounted, because nothing else is mounted at its path */
    private static boolean mount(ObjectNode container, String volume) {
        if (container.path("volumeMounts").valueStream()
                .anyMatch(mount -> Json.text(mount, "mountPath").equals(MOUNTED_AT))) {
            return false;
        }
        container.withArray("volumeMounts").addObject().put("name", volume).put("readOnly", true).put("mountPath",
                MOUNTED_AT);
        return true;
    }

    private static ObjectNode volume(String name) {
        ObjectNode volume = Json.object().put("name", name);
        ObjectNode projected = volume.putObject("projected").put("defaultMode", DEFAULT_MODE);
        ArrayNode sources = projected.putArray("sources");
        sources.addObject().putObject("serviceAccountToken").put("expirationSeconds", TOKEN_SECONDS).put("path",
                "token");
        sources.addObject().putObject("configMap").put("name", "kube-root-ca.crt").putArray("items").addObject()
                .put("key", "ca.crt").put("path", "ca.crt");
        ObjectNode namespace = sources.addObject().putObject("downwardAPI").putArray("items").addObject();
        namespace.put("path", "namespace").putObject("fieldRef").put("apiVersion", "v1").put("fieldPath",
                "metadata.namespace");
        return volume;
    }

    private static @Nullable ObjectNode tokenVolume(JsonNode spec) {
        return (ObjectNode) spec.path("volumes").valueStream()
                .filter(volume -> volume.isObject() && Json.text(volume, "name").startsWith(VOLUME)).findFirst()
                .orElse(null);
    }

    private static List<ObjectNode> containers(JsonNode spec) {
        return Stream.of("initContainers", "containers").flatMap(list -> spec.path(list).valueStream())
                .filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast).toList();
    }

}
