package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.OwnerReferences;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controllers.rbac.RoleAggregator;
import dev.wheelhouse.controllers.servicecidr.ServiceCidrController;

/** Holds all writes of a run against the invariants. */
final class Checks {
    /** They apply rules and patch ServiceCIDRs without a precondition, as upstream does. The leader does it again. */
    private static final Set<String> UNCONDITIONAL = Set.of(RoleAggregator.NAME, ServiceCidrController.NAME);

    private final Truth truth;
    private final RunHistory history;
    private final List<Invariant> invariants;
    private final Map<String, Integer> createdLate = new HashMap<>();

    Checks(Truth truth, RunHistory history, Mix mix) {
        this.truth = truth;
        this.history = history;
        List<ResourceType> types = mix.discovered().types();
        List<Invariant> all = new ArrayList<>(List.of(new StatusInvariant(truth), new NamespaceInvariants(truth, types),
                new GarbageInvariants(truth, types)));
        mix.workloads().forEach(w -> all.addAll(w.invariants(truth, history)));
        // Invariants without state are records, so two workloads of one kind share them.
        invariants = all.stream().distinct().toList();
    }

    Truth truth() {
        return truth;
    }

    RunHistory history() {
        return history;
    }

    /** Records that another manager is deposed. */
    void deposed() {
        createdLate.clear();
    }

    /** @return what the write of the leading manager would violate if it succeeded */
    List<String> before(Write write) {
        return distinct(invariants.stream().map(i -> i.before(write)));
    }

    void after(Write write) {
        invariants.forEach(i -> i.after(write));
    }

    List<String> atEnd() {
        return distinct(invariants.stream().map(Invariant::atEnd));
    }

    private static List<String> distinct(Stream<List<String>> violations) {
        return violations.flatMap(List::stream).distinct().toList();
    }

    /**
     * Checks a write of a deposed manager, whose view is outdated. The write may succeed only if its object is still as
     * the manager read it. Creations are for the invariants to judge.
     *
     * @return what the write would violate if it succeeded
     */
    List<String> late(Write write) {
        String what = "a manager that was deposed: " + write.request();
        if (write.request().verb().equals("create")) {
            KubernetesObject object = write.request().object();
            V1OwnerReference owner = object == null ? null : OwnerReferences.controllerOf(object.getMetadata());
            int created = owner == null ? 1 : createdLate.merge(owner.getUid(), 1, Integer::sum);
            return distinct(invariants.stream().map(i -> i.late(write, created))).stream().map(w -> what + ": " + w)
                    .toList();
        }
        if (UNCONDITIONAL.contains(write.controller())
                || invariants.stream().anyMatch(i -> i.isHarmlessWhenLate(write))) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        String precondition = precondition(write);
        if (!precondition.isEmpty()) {
            wrong.add(what + precondition);
        }
        invariants.forEach(i -> i.late(write, 0).forEach(w -> wrong.add(what + ": " + w)));
        return wrong;
    }

    /** @return the reason why a late write's object is not as it was read; empty if it is */
    private String precondition(Write write) {
        ObjectKey key = write.request().key();
        if (write.request().verb().equals("deletecollection")) {
            V1ObjectMeta namespace = truth.metadata(ResourceType.NAMESPACES, ObjectKey.cluster(key.namespace()));
            return namespace != null && namespace.getDeletionTimestamp() == null
                    ? " in a namespace that is not being deleted"
                    : "";
        }
        V1ObjectMeta live = truth.metadata(write.request().type(), key);
        if (live == null) {
            return " of what is gone";
        }
        return switch (write.request().payload()) {
            case Deletion deletion -> !live.getUid().equals(deletion.uid()) || (deletion.resourceVersion() != null
                    && !deletion.resourceVersion().equals(live.getResourceVersion()))
                            ? " of another than it read"
                            : "";
            case KubernetesObject object -> live.getResourceVersion().equals(object.getMetadata().getResourceVersion())
                    ? ""
                    : " of a version that is no more";
            case String patch -> patch.contains(live.getUid())
                    || patch.contains("\"resourceVersion\":\"" + live.getResourceVersion() + "\"")
                            ? ""
                            : " of another than it read";
            default -> "";
        };
    }
}
