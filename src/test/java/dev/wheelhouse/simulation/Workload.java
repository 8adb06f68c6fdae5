package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * The objects of one user, what the user does with them, and what nodes do to their pods. The seed determines
 * everything. {@link Kind} lists the kinds; each has a file for its workload, its invariants and its planted faults.
 *
 * <p>Each pod of a workload has the label {@code app} with the workload's name.
 */
abstract class Workload {
    /** The name of the workload, which is different from that of any other in the run. */
    final String name;
    /** The user's changes in order. The first one creates. The controllers observe each change before the next one. */
    final List<Step> steps = new ArrayList<>();
    private final Set<String> controllers = new TreeSet<>();
    private Set<String> kinds = Set.of();
    private Duration quiet = Duration.ofSeconds(10);

    Workload(String name) {
        this.name = name;
    }

    /** Names the controllers that the workload needs, besides those that take part in every run. */
    final void needs(String... names) {
        controllers.addAll(List.of(names));
    }

    /** Names the kinds of objects that the user and the controllers create. Discovery lists no others. */
    final void creates(String... names) {
        kinds = Set.of(names);
    }

    /** Sets the time without changes after which nothing more will change, by the delays of the controllers. */
    final void quietAfter(Duration time) {
        quiet = time;
    }

    final Set<String> controllers() {
        return controllers;
    }

    final Set<String> kinds() {
        return kinds;
    }

    final Duration quiet() {
        return quiet;
    }

    /** The objects of a kind whose names begin with that of the workload. */
    final List<JsonNode> own(Api api, String kind) {
        return api.list(kind).stream().filter(o -> ObjectFields.name(o).startsWith(name + "-")).toList();
    }

    /** The rules for the writes of the workload's controllers, for one run. */
    List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of();
    }

    /**
     * Whether the controllers have observed the user's last change, so that the effect of the next change does not
     * depend on chance. The namespace is not being deleted.
     */
    boolean isSeen(Api api) {
        return true;
    }

    /**
     * The state of the objects at the end: a line for each key, without generated names, versions, times, and anything
     * that the real controllers leave to chance. Runs with and without faults end in the same state.
     */
    abstract Map<String, String> state(Api api);

    /** Whether the namespace may never empty while the workload is in it, as in upstream. Nobody deletes it then. */
    boolean holdsNamespace() {
        return false;
    }

    /**
     * The next change that the node makes to a bound pod that is not being deleted; null for none.
     *
     * @param pod the pod, which may be of any age
     * @param calm whether the node makes only changes that have to happen
     */
    @Nullable
    PodChange next(JsonNode pod, Environment environment, boolean calm) {
        return environment.nodes().nextOfService(pod, calm);
    }

    /** One change. */
    record Step(String sentence, boolean waits, Act act) {
        /** Performs a change. */
        interface Act {
            void perform(Environment environment);
        }

        /** @param sentence the rest of a sentence that begins with "the user" */
        Step(String sentence, Act act) {
            this(sentence, false, act);
        }

        /**
         * Makes this creation wait until all participants have caught up. A revision of a predecessor that still exists
         * is taken for the new object's own, and is collected later, as in upstream. Nobody makes it again until the
         * object is synced for another reason.
         */
        Step again() {
            return new Step(sentence, true, act);
        }

        static Step create(String kind, String manifest, String sentence) {
            return new Step(sentence + ": " + manifest.replaceAll("\\s+", " "), e -> e.api().create(kind, manifest));
        }

        /** A creation, unless there is such an object. */
        static Step once(String kind, String object, String manifest) {
            return new Step("wants the " + kind + " " + object, e -> {
                if (e.api().find(kind, object) == null) {
                    e.api().create(kind, manifest);
                }
            });
        }

        /** A creation, or a merge patch of the object that there is. */
        static Step write(String kind, String object, String manifest, String sentence) {
            return new Step(sentence, e -> {
                if (e.api().find(kind, object) == null) {
                    e.api().create(kind, manifest);
                } else {
                    Api.expect(e.api().patch(kind, object, "merge", Json.read(manifest)));
                }
            });
        }

        /** A change of an object, if there is one. */
        static Step ifPresent(String kind, String object, String sentence, Act act) {
            return new Step(sentence + " the " + kind + " " + object, e -> {
                if (e.api().find(kind, object) != null) {
                    act.perform(e);
                }
            });
        }

        /** A deletion in the background, if there is such an object. */
        static Step remove(String kind, String object) {
            return ifPresent(kind, object, "deletes", e -> {
                e.history().ends(object);
                e.api().delete(kind, object, "Background");
            });
        }

        /** Moves the clock. */
        static Step pause(Duration time) {
            return new Step("waits " + time.toSeconds() + " s", e -> e.clock().advance(time));
        }

        /** Adds a node for the pods of a workload that require it. */
        static Step node(String workload, String node) {
            return new Step("adds the node " + node, e -> e.nodes().addFor(workload, node));
        }

        /** A strategic merge patch. */
        static Step patch(String kind, String name, String body, String sentence) {
            return new Step(sentence, e -> e.api().patch(kind, name, body));
        }

        /**
         * A deletion. Before one that orphans or waits for its dependents, all participants catch up: whether the
         * garbage collector has seen all dependents would be random otherwise, as in upstream.
         */
        static Step delete(String kind, String name, String policy, String sentence) {
            return new Step(sentence, !policy.equals("Background"), e -> e.api().delete(kind, name, policy));
        }

        /** A pod of the workload ends for a reason of its own. */
        static Step disruption(String workload, boolean deleted) {
            return new Step(deleted ? "deletes a pod of " + workload : "has a node that evicts a pod of " + workload,
                    e -> {
                        String pod = e.nodes().anyPod(workload);
                        if (pod == null) {
                            return;
                        }
                        e.history().ends(pod);
                        if (deleted) {
                            e.api().delete("pod", pod, "Background");
                        } else {
                            e.nodes().change(pod, PodChange.EVICTED);
                        }
                    });
        }
    }
}
