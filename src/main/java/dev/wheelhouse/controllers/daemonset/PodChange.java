package dev.wheelhouse.controllers.daemonset;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.controller.Action;

/** The pods to create and to delete, as a decision collects them. */
final class PodChange {
    /** The maximum number of pods that one sync creates, and that it deletes. */
    private static final int BURST = 250;

    /** The nodes that get a pod. */
    final List<String> nodes = new ArrayList<>();
    /** The pods to delete. */
    final List<V1Pod> victims = new ArrayList<>();
    /** Events about the reasons. */
    final List<Action> events = new ArrayList<>();
    /** The nodes whose failed pods are deleted now, so that the next ones wait longer. */
    final List<String> failedOn = new ArrayList<>();
    /** The time until a failed pod may be deleted; null if none waits. */
    @Nullable
    Duration retryAfter;
    /** Why nothing of this may be done; null if it is done. */
    @Nullable
    String problem;

    boolean isEmpty() {
        return nodes.isEmpty() && victims.isEmpty();
    }

    /** This change without the pods that exceed a burst. */
    PodChange limited() {
        nodes.subList(Math.min(BURST, nodes.size()), nodes.size()).clear();
        victims.subList(Math.min(BURST, victims.size()), victims.size()).clear();
        return this;
    }
}
