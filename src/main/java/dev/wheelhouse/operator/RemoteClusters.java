package dev.wheelhouse.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigException;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.controller.ConsistencyStore;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.operator.Declaration.Part;
import dev.wheelhouse.operator.Declaration.Role;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Connects an operator with the clusters of its {@link ClusterSecrets}, while their Secrets are there. A cluster that
 * cannot be reached is told by the log, an Event on its Secret and a metric, and stops no other. One thread at a time
 * may step it; any thread may ask for the clusters.
 */
final class RemoteClusters extends SignalledLoop {
    private static final Logger log = LoggerFactory.getLogger(RemoteClusters.class);
    private static final Measure STATES = Measure.gauge("controller_clusters",
            "Other clusters of an operator, by whether they are connected", "controller", "state");
    private static final Duration LOOK = Duration.ofSeconds(5);

    private final Declaration<?> declaration;
    private final ClusterSecrets secrets;
    private final ControllerContext context;
    private final SharedIndexInformer<V1Secret> informer;
    private final EventRecorder events;
    private final Consumer<RemoteCluster> watch;
    private final Runnable changed;
    private final List<Part<?>> owned = new ArrayList<>();
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** @param cluster null if the kubeconfig was refused */
    private record Known(byte @Nullable [] kubeconfig, @Nullable RemoteCluster cluster, String problem) {}

    /**
     * @param watch registers the handlers of a cluster's caches
     * @param changed called when a cluster is connected, lost or gone
     */
    RemoteClusters(Declaration<?> declaration, ClusterSecrets secrets, ControllerContext context,
            SharedIndexInformer<V1Secret> informer, EventRecorder events, Consumer<RemoteCluster> watch,
            Runnable changed) {
        this.declaration = declaration;
        this.secrets = secrets;
        this.context = context;
        this.informer = informer;
        this.events = events;
        this.watch = watch;
        this.changed = changed;
        secrets.owned.forEach(model -> owned.add(part(model)));
    }

    private static <T extends KubernetesObject> Part<T> part(Class<T> model) {
        return new Part<>(Role.OWNED, ResourceTypes.of(model), model, null, Set.of(), LabelSelector.everything(),
                FieldSelector.everything(), (before, after) -> true, new CachedContent<>(false, 0, false, null));
    }

    @Override
    public synchronized long step() {
        if (isClosed()) {
            return IDLE;
        }
        Map<String, V1Secret> present = informer.getIndexer().list().stream().filter(secrets::isCluster)
                .collect(Collectors.toMap(secrets::clusterOf, secret -> secret));
        Set<String> before = connected();
        known.keySet().stream().filter(name -> !present.containsKey(name)).toList().forEach(name -> {
            log.info("{}: the cluster {} has left", declaration.name(), name);
            close(known.remove(name));
        });
        present.forEach(this::look);
        Set<String> now = connected();
        context.metrics().record(STATES, now.size(), declaration.name(), "connected");
        context.metrics().record(STATES, known.size() - now.size(), declaration.name(), "lost");
        if (!before.equals(now)) {
            changed.run();
        }
        return LOOK.toNanos();
    }

    private void look(String name, V1Secret secret) {
        byte[] kubeconfig = secret.getData() == null ? null : secret.getData().get(secrets.key);
        Known last = known.get(name);
        RemoteCluster cluster = last == null ? null : last.cluster;
        String problem = "";
        if (last == null || !Arrays.equals(last.kubeconfig, kubeconfig)) {
            close(last);
            try {
                cluster = connect(name, kubeconfig);
            } catch (RuntimeException e) {
                cluster = null;
                problem = e instanceof KubeConfigException ? String.valueOf(e.getMessage()) : e.toString();
            }
        } else if (cluster == null) {
            problem = last.problem;
        }
        if (cluster != null) {
            problem = cluster.problem();
        }
        known.put(name, new Known(kubeconfig, cluster, problem));
        if ((last == null || !problem.equals(last.problem)) && (cluster == null || !cluster.connects())) {
            tell(name, secret, problem);
        }
    }

    private void tell(String name, V1Secret secret, String problem) {
        if (problem.isEmpty()) {
            log.info("{}: the cluster {} is connected", declaration.name(), name);
        } else {
            log.warn("{}: the cluster {} cannot be worked with: {}", declaration.name(), name, problem);
            events.event(ResourceType.SECRETS, secret, EventRecorder.WARNING, "ClusterLost", problem);
        }
    }

    private RemoteCluster connect(String name, byte @Nullable [] kubeconfig) {
        if (kubeconfig == null) {
            throw new KubeConfigException("the Secret has no key " + secrets.key + " with a kubeconfig: add it");
        }
        Clock clock = context.clock();
        KubeConfigs.Connection connection = new KubeConfigs(clock).fromOther(kubeconfig, "of " + name);
        RemoteCluster made = new RemoteCluster(name, declaration, owned,
                context.at(new HttpKubeClient(connection.api(), clock)));
        watch.accept(made);
        made.parts().forEach(part -> made.informer(part).whenSynced(this::wake));
        made.start();
        return made;
    }

    private static void close(@Nullable Known gone) {
        if (gone != null && gone.cluster != null) {
            gone.cluster.close();
        }
    }

    /** The names of the clusters that are connected. */
    Set<String> connected() {
        Set<String> names = new TreeSet<>();
        known.forEach((name, each) -> {
            if (each.cluster != null && each.problem.isEmpty()) {
                names.add(name);
            }
        });
        return names;
    }

    /** The names of all clusters that have a Secret, also of those that this process has not looked at yet. */
    Set<String> names() {
        return informer.getIndexer().list().stream().filter(secrets::isCluster).map(secrets::clusterOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** @throws KubeApiException if the cluster is not connected */
    RemoteCluster get(String name) {
        Known one = known.get(name);
        if (one == null || one.cluster == null || !one.problem.isEmpty()) {
            throw new KubeApiException("work with the cluster " + name, 503, "ServiceUnavailable", one == null
                    ? names().contains(name)
                            ? "it is not connected yet"
                            : "there is no Secret of it in the namespace " + secrets.namespace
                    : "it is lost: " + one.problem, null);
        }
        return one.cluster;
    }

    /**
     * The time that a key has to wait, because the caches of a cluster do not show its last writes yet; null for
     * nothing.
     */
    @Nullable
    Duration behind(ObjectKey key) {
        for (Known each : known.values()) {
            ConsistencyStore.Behind behind = each.cluster == null || !each.problem.isEmpty()
                    ? null
                    : each.cluster.consistency.check(key);
            if (behind != null) {
                return behind.retryAfter();
            }
        }
        return null;
    }

    void forget(ObjectKey key) {
        known.values().forEach(each -> {
            if (each.cluster != null) {
                each.cluster.applied.forget(key);
                each.cluster.consistency.forget(key);
            }
        });
    }

    @Override
    public void close() {
        super.close();
        synchronized (this) {
            known.values().forEach(RemoteClusters::close);
            known.clear();
        }
        context.metrics().remove(STATES, declaration.name(), "connected");
        context.metrics().remove(STATES, declaration.name(), "lost");
    }
}
