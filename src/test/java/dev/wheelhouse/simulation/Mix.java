package dev.wheelhouse.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controllers.disruption.DisruptionController;
import dev.wheelhouse.controllers.garbagecollector.GarbageCollector;
import dev.wheelhouse.controllers.namespace.NamespaceController;
import dev.wheelhouse.controllers.node.NodeLifecycleController;
import dev.wheelhouse.controllers.node.TaintEvictionController;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.simulation.Workload.Step;

/**
 * The workloads of one run, in one namespace.
 *
 * @param disrupted whether pods become unready by themselves, are deleted and evicted
 * @param steps the changes of all users, in order
 * @param everything whether all built-in controllers take part, and not just those that the workloads need
 * @param endsNamespace whether a user deletes the namespace after the last step
 */
record Mix(boolean disrupted, List<Workload> workloads, List<Step> steps, boolean everything, boolean endsNamespace) {
    /** Only for nodes that give signs of life. */
    private static final Set<String> OF_LIVING_NODES = Set.of(NodeLifecycleController.NAME,
            TaintEvictionController.NAME);
    /** Each of so many runs has living nodes. Others let much time pass at once, in which nodes seem to be silent. */
    private static final int WITH_LIVING_NODES = 14;
    /** They take turns in another of so many runs. */
    private static final List<Kind> ALONE = List.of(Kind.DEVICES, Kind.POLICIES, Kind.BOOTSTRAP);
    private static final Set<String> ALWAYS = Set.of(GarbageCollector.NAME, NamespaceController.NAME,
            DisruptionController.NAME);

    /** One to three workloads of any kinds, or one with living nodes, which is always alone. */
    static Mix of(long seed) {
        if (seed % WITH_LIVING_NODES == 0) {
            return of(seed, Kind.NODES);
        }
        if (seed % WITH_LIVING_NODES == 7) {
            return of(seed, ALONE.get((int) (seed / WITH_LIVING_NODES % ALONE.size())));
        }
        Random random = new Random(seed);
        int dice = random.nextInt(10);
        return of(random, dice < 6 ? 1 : dice < 9 ? 2 : 3, () -> Kind.any(random));
    }

    /** One workload of a kind. */
    static Mix of(long seed, Kind kind) {
        return of(new Random(seed), 1, () -> kind);
    }

    private static Mix of(Random random, int count, Supplier<Kind> kinds) {
        boolean disrupted = random.nextInt(3) == 0;
        List<Workload> workloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            workloads.add(kinds.get().draw("w" + i, random, disrupted));
        }
        List<Step> steps = interleaved(workloads, random);
        boolean endsNamespace = random.nextInt(12) == 0 && workloads.stream().noneMatch(Workload::holdsNamespace);
        if (endsNamespace) {
            steps = steps.subList(0, 1 + random.nextInt(steps.size()));
        }
        return new Mix(disrupted, List.copyOf(workloads), List.copyOf(steps), random.nextInt(10) == 0, endsNamespace);
    }

    private static List<Step> interleaved(List<Workload> workloads, Random random) {
        List<Deque<Step>> left = new ArrayList<>();
        workloads.forEach(w -> left.add(new ArrayDeque<>(w.steps)));
        List<Step> steps = new ArrayList<>();
        while (!left.isEmpty()) {
            Deque<Step> next = left.get(random.nextInt(left.size()));
            steps.add(next.remove());
            left.removeIf(Collection::isEmpty);
        }
        return steps;
    }

    /** Whether nodes give signs of life. */
    boolean hasLivingNodes() {
        return workloads.stream().anyMatch(NodesWorkload.class::isInstance);
    }

    /** The controllers that take part. */
    List<ControllerDescriptor> controllers() {
        Set<String> needed = workloads.stream().flatMap(w -> w.controllers().stream()).collect(Collectors.toSet());
        needed.addAll(ALWAYS);
        List<ControllerDescriptor> all = BuiltInControllers.all();
        Set<String> known = all.stream().map(ControllerDescriptor::name).collect(Collectors.toSet());
        if (!known.containsAll(needed)) {
            throw new AssertionError("not all of " + needed + " are in " + known);
        }
        return all.stream().filter(c -> needed.contains(c.name())
                || (everything && (hasLivingNodes() || !OF_LIVING_NODES.contains(c.name())))).toList();
    }

    /** The types of the workloads, and those that the controllers require. */
    KubeClient.Discovered served() {
        Set<ResourceType> types = new LinkedHashSet<>(discovered().types());
        controllers().forEach(controller -> types.addAll(controller.requires()));
        return new KubeClient.Discovered(List.copyOf(types), List.of(), List.of());
    }

    /** The types of the workloads. Fewer types are fewer watches of the garbage collector, which costs time. */
    KubeClient.Discovered discovered() {
        Set<String> kinds = new TreeSet<>(Set.of("pod", "namespace", "node", "poddisruptionbudget"));
        workloads.forEach(w -> kinds.addAll(w.kinds()));
        return new KubeClient.Discovered(kinds.stream().map(Api::type).toList(), List.of(), List.of());
    }
}
