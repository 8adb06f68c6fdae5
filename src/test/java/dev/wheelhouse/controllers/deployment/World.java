package dev.wheelhouse.controllers.deployment;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1ReplicaSet;
import io.kubernetes.client.openapi.models.V1ReplicaSetStatus;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One namespace in memory: Deployments with the decision under test, ReplicaSets with a minimal controller, and pods
 * whose state only the test changes. It checks what an API server checks: versions, preconditions, and that no write is
 * without effect.
 */
final class World {
    private static final String NAMESPACE = "default";

    /** The fields of a pod that a Deployment depends on. */
    static final class Pod {
        final String alias;
        final String replicaSetUid;
        final String replicaSet;
        String phase = "Pending";
        @Nullable
        Instant readySince;
        boolean terminating;

        Pod(String alias, V1ReplicaSet replicaSet) {
            this.alias = alias;
            this.replicaSet = replicaSet.getMetadata().getName();
            this.replicaSetUid = replicaSet.getMetadata().getUid();
        }

        boolean isActive() {
            return !terminating && !isFinished();
        }

        boolean isFinished() {
            return phase.equals("Failed") || phase.equals("Succeeded");
        }

        String state() {
            if (terminating) {
                return "terminating";
            }
            return readySince != null ? "ready" : phase.toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** Chooses the next of several possible turns. */
    interface Order {
        int next(int turns);
    }

    /** Sees every decision before its execution. */
    interface Observer {
        void decided(DeploymentView view, List<Action> actions);
    }

    /** Names new pods. */
    interface PodNames {
        String next(String replicaSet);
    }

    private int podCount;
    final ManualClock clock = new ManualClock();
    final Map<String, V1Deployment> deployments = new LinkedHashMap<>();
    final Map<String, V1ReplicaSet> replicaSets = new LinkedHashMap<>();
    final List<Pod> pods = new ArrayList<>();
    final List<String> eventReasons = new ArrayList<>();
    final List<String> eventMessages = new ArrayList<>();
    /** The pods to delete first if a ReplicaSet has too many. */
    final Set<String> victims = new HashSet<>();
    /** The pods whose deletion takes no time. */
    final Set<String> goneAtOnce = new HashSet<>();
    PodNames podNames = replicaSet -> "pod-" + ++podCount;
    Observer observer = (view, actions) -> {};
    java.util.function.Consumer<V1ReplicaSet> onReplicaSetCreated = r -> {};
    Order order = new java.util.Random(1)::nextInt;
    int writes;
    /** Whether ReplicaSets report terminatingReplicas, as they do since Kubernetes 1.33. */
    boolean countsTerminating = true;

    private final Map<String, Instant> due = new HashMap<>();
    private long version;
    private int uids;

    V1Deployment deployment(String name) {
        return Objects.requireNonNull(deployments.get(name), () -> "no Deployment " + name);
    }

    V1ReplicaSet replicaSet(String name) {
        return Objects.requireNonNull(replicaSets.get(name), () -> "no ReplicaSet " + name);
    }

    void create(V1Deployment manifest) {
        V1Deployment deployment = ModelJson.copy(manifest);
        created(deployment.getMetadata());
        var spec = deployment.getSpec();
        spec.setReplicas(spec.getReplicas() == null ? 1 : spec.getReplicas());
        if (spec.getProgressDeadlineSeconds() == null) {
            spec.setProgressDeadlineSeconds(600);
        }
        if (spec.getRevisionHistoryLimit() == null) {
            spec.setRevisionHistoryLimit(10);
        }
        deployments.put(deployment.getMetadata().getName(), deployment);
    }

    void create(V1ReplicaSet manifest) {
        V1ReplicaSet replicaSet = ModelJson.copy(manifest);
        created(replicaSet.getMetadata());
        replicaSets.put(replicaSet.getMetadata().getName(), replicaSet);
    }

    private void created(V1ObjectMeta meta) {
        meta.namespace(NAMESPACE).uid("uid-" + ++uids).generation(1L)
                .creationTimestamp(clock.now().atOffset(ZoneOffset.UTC)).resourceVersion(nextVersion());
    }

    private String nextVersion() {
        return Long.toString(++version);
    }

    /**
     * Writes an object as a user does: the generation grows with the spec, that of a Deployment with annotations too.
     */
    void put(V1Deployment after) {
        V1Deployment before = deployment(after.getMetadata().getName());
        V1Deployment stored = ModelJson.copy(after);
        stored.setStatus(before.getStatus());
        boolean changed = !Objects.equals(before.getSpec(), stored.getSpec()) || !Objects
                .equals(before.getMetadata().getAnnotations(), stored.getMetadata().getAnnotations());
        stamp(before.getMetadata(), stored.getMetadata(), changed);
        deployments.put(stored.getMetadata().getName(), stored);
    }

    void put(V1ReplicaSet after) {
        V1ReplicaSet before = replicaSet(after.getMetadata().getName());
        V1ReplicaSet stored = ModelJson.copy(after);
        stored.setStatus(before.getStatus());
        stamp(before.getMetadata(), stored.getMetadata(), !Objects.equals(before.getSpec(), stored.getSpec()));
        replicaSets.put(stored.getMetadata().getName(), stored);
    }

    private void stamp(V1ObjectMeta before, V1ObjectMeta after, boolean specChanged) {
        after.generation(before.getGeneration() + (specChanged ? 1 : 0)).resourceVersion(nextVersion());
    }

    /** @param orphan whether the ReplicaSets stay, without their owner */
    void deleteDeployment(String name, boolean orphan) {
        V1Deployment deployment = Objects.requireNonNull(deployments.remove(name));
        for (V1ReplicaSet replicaSet : List.copyOf(replicaSets.values())) {
            if (OwnerReferences.isControlledBy(replicaSet, deployment.getMetadata())) {
                if (orphan) {
                    setOwners(replicaSet, List.of());
                } else {
                    deleteReplicaSet(replicaSet.getMetadata().getName());
                }
            }
        }
    }

    void deleteReplicaSet(String name) {
        V1ReplicaSet replicaSet = Objects.requireNonNull(replicaSets.remove(name));
        List.copyOf(pods).stream().filter(p -> p.replicaSetUid.equals(replicaSet.getMetadata().getUid()))
                .forEach(this::deletePod);
    }

    void deletePod(Pod pod) {
        pod.terminating = true;
        if (goneAtOnce.contains(pod.alias)) {
            pods.remove(pod);
        }
    }

    Pod pod(String alias) {
        return pods.stream().filter(p -> p.alias.equals(alias)).findFirst()
                .orElseThrow(() -> new AssertionError("no pod " + alias + " among " + aliases()));
    }

    private List<String> aliases() {
        return pods.stream().map(p -> p.alias + " " + p.state()).toList();
    }

    /** Lets all controllers work, in the world's order of turns, until there is nothing to do. */
    void settle() {
        int idle = 0;
        for (int turn = 0; turn < 10_000; turn++) {
            List<BooleanSupplier> turns = turns();
            if (turns.isEmpty() || idle > 0 && nothingToDo(turns)) {
                return;
            }
            idle = turns.get(order.next(turns.size())).getAsBoolean() ? 0 : idle + 1;
        }
        throw new AssertionError("no quiescence after 10000 turns; last events " + eventMessages);
    }

    /**
     * Lets one controller take its turn.
     * @return whether it did anything
     */
    @CanIgnoreReturnValue
    boolean turn() {
        List<BooleanSupplier> turns = turns();
        return !turns.isEmpty() && turns.get(order.next(turns.size())).getAsBoolean();
    }

    private static boolean nothingToDo(List<BooleanSupplier> turns) {
        boolean did = false;
        for (BooleanSupplier turn : turns) {
            did |= turn.getAsBoolean();
        }
        return !did;
    }

    /** One turn for each Deployment, for each ReplicaSet's pods, and for each ReplicaSet's status. */
    private List<BooleanSupplier> turns() {
        List<BooleanSupplier> turns = new ArrayList<>();
        for (String name : deployments.keySet()) {
            turns.add(() -> syncDeployment(name));
        }
        for (String name : replicaSets.keySet()) {
            turns.add(() -> replicaSets.containsKey(name) && syncPods(replicaSet(name)));
            turns.add(() -> replicaSets.containsKey(name) && syncStatus(replicaSet(name)));
        }
        return turns;
    }

    /** Moves the clock, with everything that becomes due meanwhile. */
    void advanceTo(Instant time) {
        settle();
        Instant next = nextDue();
        while (next != null && !next.isAfter(time)) {
            clock.advance(Duration.between(clock.now(), next));
            settle();
            next = nextDue();
        }
        if (time.isAfter(clock.now())) {
            clock.advance(Duration.between(clock.now(), time));
            settle();
        }
    }

    /** The next due time after now; null if there is none. */
    @Nullable
    Instant nextDue() {
        return due.values().stream().filter(t -> t.isAfter(clock.now())).min(Comparator.naturalOrder()).orElse(null);
    }

    DeploymentView view(String name) {
        return DeploymentView.of(deployment(name), replicaSets.values(), this::unfinishedPods, clock.now());
    }

    private int unfinishedPods(V1ReplicaSet replicaSet) {
        return (int) podsOf(replicaSet).stream().filter(p -> !p.isFinished()).count();
    }

    private List<Pod> podsOf(V1ReplicaSet replicaSet) {
        return pods.stream().filter(p -> p.replicaSetUid.equals(replicaSet.getMetadata().getUid())).toList();
    }

    private boolean syncDeployment(String name) {
        DeploymentView view = view(name);
        List<Action> actions = DeploymentDecision.decide(view);
        observer.decided(view, actions);
        return carryOut(view, actions);
    }

    /** @return whether anything was written */
    private boolean carryOut(DeploymentView view, List<Action> actions) {
        boolean wrote = false;
        due.remove(view.deployment().getMetadata().getName());
        for (Action action : actions) {
            switch (action) {
                case Action.Create create -> {
                    V1ReplicaSet replicaSet = (V1ReplicaSet) create.object();
                    V1ReplicaSet taken = replicaSets.get(replicaSet.getMetadata().getName());
                    if (taken != null) {
                        carryOut(view, DeploymentDecision.afterNameTaken(view, taken));
                        return true;
                    }
                    create(replicaSet);
                    onReplicaSetCreated.accept(replicaSet);
                }
                case Action.Update update -> update(update.object());
                case Action.UpdateStatus update -> updateStatus((V1Deployment) update.object());
                case Action.Patch patch -> patch(patch);
                case Action.Batch batch -> batch.writes().forEach(w -> patch((Action.Patch) w));
                case Action.Delete delete -> delete(delete);
                case Action.UpdateSubresource update -> throw new AssertionError("no Deployment needs " + update);
                case Action.DeleteCollection delete -> throw new AssertionError("no Deployment needs " + delete);
                case Action.Event event -> {
                    eventReasons.add(event.reason());
                    eventMessages.add(event.message());
                }
                case Action.RequeueAfter requeue -> due.put(view.deployment().getMetadata().getName(),
                        clock.now().plus(requeue.delay()));
                case Action.RequireLive check -> {
                }
            }
            int count = action instanceof Action.Batch batch
                    ? batch.writes().size()
                    : action instanceof Action.Write ? 1 : 0;
            writes += count;
            wrote |= count > 0;
        }
        return wrote;
    }

    private void update(KubernetesObject object) {
        if (object instanceof V1ReplicaSet replicaSet) {
            V1ReplicaSet before = replicaSet(replicaSet.getMetadata().getName());
            requireVersion(before.getMetadata(), replicaSet.getMetadata());
            assertThat(replicaSet).as("an update that changes nothing").isNotEqualTo(before);
            put(replicaSet);
        } else {
            V1Deployment deployment = (V1Deployment) object;
            V1Deployment before = deployment(deployment.getMetadata().getName());
            requireVersion(before.getMetadata(), deployment.getMetadata());
            assertThat(deployment).as("an update that changes nothing").isNotEqualTo(before);
            put(deployment);
        }
    }

    /** Writes status and annotations, because a status update on a real API server includes annotations. */
    private void updateStatus(V1Deployment deployment) {
        V1Deployment before = deployment(deployment.getMetadata().getName());
        requireVersion(before.getMetadata(), deployment.getMetadata());
        assertThat(deployment).as("a status update that changes nothing").isNotEqualTo(before);
        V1Deployment stored = ModelJson.copy(before);
        stored.setStatus(ModelJson.copy(deployment.getStatus()));
        stored.getMetadata().setAnnotations(deployment.getMetadata().getAnnotations());
        stored.getMetadata().setResourceVersion(nextVersion());
        deployments.put(stored.getMetadata().getName(), stored);
    }

    private static void requireVersion(V1ObjectMeta stored, V1ObjectMeta written) {
        assertThat(written.getResourceVersion()).as("the version that %s is written at", stored.getName())
                .isEqualTo(stored.getResourceVersion());
    }

    private void patch(Action.Patch patch) {
        JsonNode metadata = ModelJson.mapperForModels().readTree(patch.body()).get("metadata");
        V1ReplicaSet replicaSet = replicaSet(patch.target().name());
        assertThat(metadata.get("uid").stringValue()).isEqualTo(replicaSet.getMetadata().getUid());
        JsonNode reference = metadata.get("ownerReferences").get(0);
        setOwners(replicaSet, reference.has("$patch")
                ? List.of()
                : List.of(ModelJson.read(reference, V1OwnerReference.class)));
    }

    private void setOwners(V1ReplicaSet replicaSet, List<V1OwnerReference> owners) {
        V1ReplicaSet stored = ModelJson.copy(replicaSet);
        stored.getMetadata().setOwnerReferences(owners);
        put(stored);
    }

    private void delete(Action.Delete delete) {
        V1ObjectMeta meta = replicaSet(delete.target().name()).getMetadata();
        assertThat(delete.deletion().uid()).isEqualTo(meta.getUid());
        assertThat(delete.deletion().resourceVersion()).isEqualTo(meta.getResourceVersion());
        deleteReplicaSet(delete.target().name());
    }

    private boolean syncPods(V1ReplicaSet replicaSet) {
        List<Pod> active = podsOf(replicaSet).stream().filter(Pod::isActive).toList();
        int surplus = active.size() - replicaSet.getSpec().getReplicas();
        for (int i = surplus; i < 0; i++) {
            pods.add(new Pod(podNames.next(replicaSet.getMetadata().getName()), replicaSet));
        }
        active.stream().sorted(Comparator.comparing((Pod p) -> !victims.contains(p.alias))
                .thenComparing(p -> p.readySince != null)).limit(Math.max(0, surplus)).forEach(this::deletePod);
        return surplus != 0;
    }

    private boolean syncStatus(V1ReplicaSet replicaSet) {
        List<Pod> all = podsOf(replicaSet);
        int replicas = (int) all.stream().filter(Pod::isActive).count();
        int ready = (int) all.stream().filter(p -> p.isActive() && p.readySince != null).count();
        V1ReplicaSetStatus status = new V1ReplicaSetStatus().replicas(replicas).fullyLabeledReplicas(orNull(replicas))
                .readyReplicas(orNull(ready)).availableReplicas(orNull(available(replicaSet, all)))
                .terminatingReplicas(
                        countsTerminating ? (int) all.stream().filter(p -> p.terminating).count() : null)
                .observedGeneration(replicaSet.getMetadata().getGeneration());
        if (status.equals(replicaSet.getStatus())) {
            return false;
        }
        V1ReplicaSet stored = ModelJson.copy(replicaSet);
        stored.setStatus(status);
        stored.getMetadata().setResourceVersion(nextVersion());
        replicaSets.put(stored.getMetadata().getName(), stored);
        return true;
    }

    private int available(V1ReplicaSet replicaSet, List<Pod> all) {
        Integer seconds = replicaSet.getSpec().getMinReadySeconds();
        String name = "replicaset/" + replicaSet.getMetadata().getName();
        int available = 0;
        due.remove(name);
        for (Pod pod : all) {
            if (pod.isActive() && pod.readySince != null) {
                Instant at = pod.readySince.plusSeconds(seconds == null ? 0 : seconds);
                if (at.isAfter(clock.now())) {
                    due.merge(name, at, (a, b) -> a.isBefore(b) ? a : b);
                } else {
                    available++;
                }
            }
        }
        return available;
    }

    private static @Nullable Integer orNull(int count) {
        return count == 0 ? null : count;
    }
}
