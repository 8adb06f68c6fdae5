package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.controller.ActionExecutor;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * Another cluster while it is connected: the caches of an operator's objects there, and the memory of what was written.
 * Its caches have threads of their own, also in a process that a test steps. Thread safe.
 */
final class RemoteCluster implements AutoCloseable {
    /** The label with the operator's name. The caches hold the objects that have it. */
    static final String OPERATOR = "operator.wheelhouse.dev/operator";
    /** The label with the UID of the primary object. */
    static final String OWNER = "operator.wheelhouse.dev/owner";
    /** The annotation with the key of the primary object. */
    static final String PRIMARY = "operator.wheelhouse.dev/primary";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration GRACE = Duration.ofMillis(200);

    final String name;
    final KubeClient client;
    final Applied applied;
    final ActionExecutor executor;
    final ConsistencyStore consistency;
    private final Clock clock;
    private final InformerFactory factory;
    private final LoopRunner runner;
    private final Map<Part<?>, SharedIndexInformer<? extends KubernetesObject>> informers = new LinkedHashMap<>();

    /**
     * Begins to read the cluster.
     *
     * @param at the operator's context with the cluster's client
     */
    RemoteCluster(String name, Declaration<?> declaration, List<Part<?>> owned, ControllerContext at) {
        this.name = name;
        this.client = at.client();
        this.applied = new Applied(declaration.name() + " in " + name);
        this.consistency = at.consistency();
        this.executor = at.executor(declaration.name());
        this.clock = at.clock();
        this.factory = new InformerFactory(client, clock);
        this.runner = new LoopRunner(declaration.name() + "/" + name, clock);
        owned.forEach(part -> informers.put(part, informer(part, declaration.name())));
    }

    private <T extends KubernetesObject> SharedIndexInformer<T> informer(Part<T> part, String operator) {
        SharedIndexInformer<T> made = factory.informer(part.type(), part.model(), "",
                LabelSelector.of(Map.of(OPERATOR, operator)), FieldSelector.everything());
        consistency.register(part.type(), made);
        return made;
    }

    void start() {
        factory.start(runner);
    }

    Set<Part<?>> parts() {
        return informers.keySet();
    }

    @SuppressWarnings("unchecked") // The informer was made for the part.
    <T extends KubernetesObject> SharedIndexInformer<T> informer(Part<T> part) {
        return (SharedIndexInformer<T>) Objects.requireNonNull(informers.get(part));
    }

    /** Why the cluster cannot be worked with, in a clause; empty if it can. */
    String problem() {
        for (InformerState state : factory.states()) {
            Duration lag = state.lag(clock.now());
            if (!state.synced()) {
                return state.reasonNotSynced();
            } else if (state.lastError() != null && lag != null && lag.compareTo(PATIENCE) > 0) {
                return state.lastError();
            }
        }
        return "";
    }

    /** Whether it is not known yet whether the cluster can be worked with. */
    boolean connects() {
        return factory.states().stream().anyMatch(state -> !state.synced() && state.lastFailure() == null);
    }

    @Override
    public void close() {
        factory.close();
        client.close();
        runner.close(GRACE);
    }
}
