package dev.wheelhouse.simulation;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1StatefulSet;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.controllers.statefulset.StatefulSetController;

import static dev.wheelhouse.simulation.Truth.image;
import static dev.wheelhouse.simulation.Truth.isActive;
import static dev.wheelhouse.simulation.Truth.isFinished;
import static dev.wheelhouse.simulation.Truth.isReady;
import static dev.wheelhouse.simulation.Truth.name;
import static dev.wheelhouse.simulation.Truth.owns;

/**
 * A StatefulSet has one pod of each of its ordinals and no other. No pod is ended at once, because a second one of its
 * ordinal could start beside it. OrderedReady pods start upwards and end downwards, each when the one before is ready
 * or gone. Updates go downwards, each when all pods above are ready.
 */
record StatefulSetInvariants(Truth truth) implements Invariant {
    @Override
    public List<String> before(Write write) {
        if (!write.controller().equals(StatefulSetController.NAME)) {
            return List.of();
        }
        if (write.is("create", ResourceType.PODS)) {
            V1Pod pod = write.object(V1Pod.class);
            return pod == null ? List.of() : created(write, pod);
        }
        V1Pod victim = write.is("delete", ResourceType.PODS) ? truth.pod(write.request().key()) : null;
        return victim == null ? List.of() : deleted(write, victim);
    }

    @Override
    public List<String> late(Write write, int created) {
        return before(write);
    }

    private static int start(V1StatefulSet set) {
        return set.getSpec().getOrdinals() == null || set.getSpec().getOrdinals().getStart() == null
                ? 0
                : set.getSpec().getOrdinals().getStart();
    }

    private static boolean isOrdered(V1StatefulSet set) {
        return !"Parallel".equals(set.getSpec().getPodManagementPolicy());
    }

    /** A pod of the set in the manager's cache. The cache may not show yet that the manager has adopted it. */
    private @Nullable V1Pod read(Write write, V1StatefulSet set, int ordinal) {
        ObjectKey key = new ObjectKey(write.request().key().namespace(), name(set) + "-" + ordinal);
        V1Pod pod = write.read(ResourceType.PODS, V1Pod.class, key);
        V1Pod live = truth.pod(key);
        boolean adopted = pod != null && live != null && owns(set, live) && Truth.uid(pod).equals(Truth.uid(live));
        return pod != null && (adopted || owns(set, pod)) ? pod : null;
    }

    private List<String> created(Write write, V1Pod pod) {
        V1StatefulSet set = write.owner(pod, ResourceType.STATEFUL_SETS, V1StatefulSet.class);
        if (set == null) {
            return List.of();
        }
        int ordinal = StatefulSetWorkload.ordinal(name(pod));
        int start = start(set);
        List<String> wrong = new ArrayList<>();
        if (ordinal < start || ordinal >= start + set.getSpec().getReplicas()) {
            wrong.add("pod " + name(pod) + " is created, and it read that the ordinals are " + set.getSpec()
                    .getReplicas() + " from " + start);
        }
        for (int i = start; isOrdered(set) && i < ordinal; i++) {
            V1Pod before = read(write, set, i);
            if (before == null || !isReady(before) || !isActive(before)) {
                wrong.add("pod " + name(pod) + " starts before pod " + i + " is ready");
                break;
            }
        }
        return wrong;
    }

    private List<String> deleted(Write write, V1Pod pod) {
        V1StatefulSet set = write.owner(pod, ResourceType.STATEFUL_SETS, V1StatefulSet.class);
        if (set == null) {
            return List.of();
        }
        List<String> wrong = new ArrayList<>();
        if (write.request().payload() instanceof Deletion deletion && deletion.gracePeriodSeconds() != null) {
            wrong.add("pod " + name(pod) + " is ended with a grace period of " + deletion.gracePeriodSeconds()
                    + " s, and its ordinal may start again beside it");
        }
        V1Pod read = write.read(ResourceType.PODS, V1Pod.class, ObjectKey.of(pod));
        if (read == null || isFinished(read)) {
            return wrong;
        }
        int ordinal = StatefulSetWorkload.ordinal(name(pod));
        int end = start(set) + set.getSpec().getReplicas();
        boolean surplus = ordinal >= end || ordinal < start(set);
        if (!surplus && image(read.getSpec()).equals(image(set.getSpec().getTemplate().getSpec()))) {
            wrong.add("pod " + name(pod) + " is deleted, which is wanted and has the right image");
        }
        if (surplus && isOrdered(set)) {
            write.read(ResourceType.PODS, V1Pod.class).stream()
                    .filter(p -> owns(set, p) && StatefulSetWorkload.ordinal(name(p)) > ordinal
                            && StatefulSetWorkload.ordinal(name(p)) >= end)
                    .findFirst().ifPresent(p -> wrong.add("pod " + name(pod) + " is deleted before " + name(p)));
        }
        for (int i = ordinal + 1; !surplus && i < end; i++) {
            V1Pod above = read(write, set, i);
            if (above == null || !isReady(above) || !isActive(above)
                    || !image(above.getSpec()).equals(image(set.getSpec().getTemplate().getSpec()))) {
                wrong.add("pod " + name(pod) + " is updated before pod " + i + " is ready in the new revision");
                break;
            }
        }
        return wrong;
    }
}
