package dev.wheelhouse.console;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.journal.Journal;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.node.NodeAgent;
import dev.wheelhouse.runtime.Clock;

/**
 * The parts of a service that the console shows.
 *
 * @param states the states of all caches
 * @param caches the caches whose objects are shown
 * @param health the health of these objects
 * @param nodes the hollow nodes of this process
 * @param api the official client of the same API server, for logs
 * @param storageProblem why the embedded API server takes no writes; its answer is null if it does
 * @param embedded whether the API server runs in this process
 * @param writable whether callers with the right to it may change controllers and objects
 */
public record Parts(ControllerManager manager, Supplier<List<InformerState>> states, SharedInformerFactory caches,
        ClusterHealth health, Journal journal, Supplier<List<NodeAgent>> nodes, KubeClient client, ApiClient api,
        Clock clock,
        Supplier<@Nullable String> storageProblem, boolean embedded, boolean writable) {}
