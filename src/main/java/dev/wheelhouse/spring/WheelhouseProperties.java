package dev.wheelhouse.spring;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;

import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.controllers.serviceaccount.ServiceAccountController;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.manager.ManagerGuard;
import dev.wheelhouse.manager.Standby;

/**
 * The options {@code wheelhouse.*}, except those that are flags of kube-controller-manager:
 * {@link ControllerManagerFlags}. {@link UnknownOptions} refuses others.
 *
 * @param enabled whether anything of Wheelhouse runs in this application
 * @param mode the kind of API server to use
 * @param kubeconfig the kubeconfig to use; it selects the mode {@code kubeconfig}
 * @param context the context in the kubeconfig; by default the current one
 * @param controllers the controllers to run, in the syntax of kube-controller-manager's {@code --controllers}
 * @param manage whether the controllers write if another controller manager may be at work
 * @param workers the number of workers of each controller, instead of those of {@code concurrent-*-syncs}
 * @param workersOf the numbers of workers of single controllers, by name or alias
 * @param apiserver the embedded API server
 * @param nodes the hollow nodes, and the number of those that run containers
 * @param scheduler whether to run a scheduler; by default only on the embedded API server
 * @param schedulerConfig a file of kind KubeSchedulerConfiguration with the scheduler's profiles
 * @param node one further node and its pod sources, and the runtimes of the nodes that run containers
 * @param informer the caches
 * @param leaderElection the election of the one process that acts
 * @param standby whether the caches run while another process leads. Warm caches let this process take over within a
 *     second; cold ones save memory and watches
 * @param shards the number of parts that the namespaces are divided into, each led by one of the replicas; 1 for none
 * @param webhooks how the webhook methods of operators are served
 * @param management health, metrics and the other actuator endpoints
 * @param console the console and its journal
 * @param tracing whether each sync is a Micrometer observation with its writes as children. The application brings the
 *     tracer
 * @param stopGrace the time that running syncs have to end when the process stops. They are interrupted then
 */
@ConfigurationProperties("wheelhouse")
record WheelhouseProperties(@DefaultValue("true") boolean enabled, @DefaultValue("auto") Mode mode,
        @Nullable String kubeconfig,
        @Nullable String context,
        @DefaultValue("*") List<String> controllers, @DefaultValue("auto") ManagerGuard.Mode manage,
        @Nullable Integer workers, @DefaultValue Map<String, Integer> workersOf,
        @DefaultValue @NestedConfigurationProperty ApiServerProperties apiserver, @DefaultValue Nodes nodes,
        @Nullable Boolean scheduler, @Nullable String schedulerConfig,
        @DefaultValue @NestedConfigurationProperty NodeProperties node,
        @DefaultValue Informer informer,
        @DefaultValue @NestedConfigurationProperty ElectionProperties leaderElection,
        @DefaultValue("warm") Standby standby, @DefaultValue("1") int shards,
        @DefaultValue @NestedConfigurationProperty ServedWebhooks.Options webhooks,
        @DefaultValue Management management, @DefaultValue Console console,
        @DefaultValue("false") boolean tracing, @DefaultValue("2s") Duration stopGrace) {

    /** The kind of API server to use. */
    public enum Mode {
        /**
         * The server of a named kubeconfig, else of the cluster that this process runs in. Elsewhere the service starts
         * the embedded one, and other applications use {@code KUBECONFIG} or {@code ~/.kube/config}.
         */
        AUTO,
        /** An API server in this process, with hollow nodes and a scheduler. */
        EMBEDDED,
        /** The server of the named kubeconfig, else of {@code KUBECONFIG} or {@code ~/.kube/config}. */
        KUBECONFIG,
        /** The server of the cluster that this process runs in, with the pod's service account. */
        IN_CLUSTER,
        /** No API server: static pods run, and nothing else. */
        NONE
    }

    /**
     * @param dropLastApplied whether caches drop the annotation
     *     {@code kubectl.kubernetes.io/last-applied-configuration}
     * @param watchList whether a watch streams the initial objects into the caches, if the API server supports it
     * @param gzip whether lists are compressed, for an API server behind a slow network
     */
    public record Informer(@DefaultValue("false") boolean dropLastApplied, @DefaultValue("false") boolean watchList,
            @DefaultValue("false") boolean gzip) {
        InformerOptions options() {
            return InformerOptions.builder().dropLastApplied(dropLastApplied).watchList(watchList).build();
        }
    }

    /**
     * @param enabled whether the service serves the console
     * @param writable whether callers with the right to it may change controllers and objects; by default only on the
     *     embedded API server
     * @param journal the most memory of the journal of writes; 0 for none
     */
    public record Console(@DefaultValue("true") boolean enabled, @Nullable Boolean writable,
            @DefaultValue("4MB") DataSize journal) {
        public Console {
            BadOption.require(!journal.isNegative(), "wheelhouse.console.journal", journal, "a size from 0");
        }
    }

    /**
     * @param hosts host names that clients may use in addition to addresses, loopback names and the machine's name
     * @param stepDeadline the time after which liveness fails if a loop is still in the same step. It has to be longer
     *     than the longest sync of every controller
     */
    public record Management(@DefaultValue({
    }) List<String> hosts, @DefaultValue("10m") Duration stepDeadline) {
        public Management {
            BadOption.requirePositive("wheelhouse.management.step-deadline", stepDeadline);
            hosts = List.copyOf(hosts);
        }
    }

    /**
     * @param count the number of hollow nodes; by default 2 on the embedded API server if no node runs containers, and
     *     0 elsewhere
     * @param real the number of nodes that run containers; at least one for each of {@code wheelhouse.node.runtime},
     *     which is {@code unix:///run/containerd/containerd.sock} if nothing else is said
     * @param namePrefix the start of the nodes' names; a number from 1 follows
     * @param cpu the CPUs of each node, a quantity
     * @param memory the memory of each node, a quantity
     * @param pods the number of pods that each node can run
     * @param profile the behaviour of pods without annotations for it: none, slow, flaky, stuck, crashing, unpullable
     * @param storage whether to make a default StorageClass if there is no class, and hollow volumes for its claims; by
     *     default only on the embedded API server
     * @param addresses the range of the addresses of Services of type LoadBalancer and of Ingresses, or {@code none};
     *     by default 198.51.100.0/24 on the embedded API server and none elsewhere
     */
    public record Nodes(@Nullable Integer count, @DefaultValue("0") int real, @DefaultValue("node-") String namePrefix,
            @DefaultValue("4") String cpu,
            @DefaultValue("8Gi") String memory, @DefaultValue("110") int pods, @DefaultValue("none") String profile,
            @Nullable Boolean storage, @Nullable String addresses) {
        public Nodes {
            BadOption.require(count == null || (count >= 0 && count <= 3000), "wheelhouse.nodes.count",
                    String.valueOf(count),
                    "a number from 0 to 3000");
            BadOption.require(real >= 0 && real <= MOST_REAL, "wheelhouse.nodes.real", real,
                    "a number from 0 to " + MOST_REAL);
            BadOption.require(pods >= 1, "wheelhouse.nodes.pods", pods, "a number from 1");
            requireQuantity("wheelhouse.nodes.cpu", cpu);
            requireQuantity("wheelhouse.nodes.memory", memory);
        }

        /** Each of them has the whole machine. */
        private static final int MOST_REAL = 16;

        private static void requireQuantity(String option, String value) {
            try {
                Quantity.fromString(value);
            } catch (QuantityFormatException e) {
                BadOption.require(false, option, "\"" + value + "\"", "a quantity, such as 4, 500m or 8Gi");
            }
        }
    }

    /** Beyond this number, the renewals of the shards' Leases cost more than the shards bring. */
    private static final int MOST_SHARDS = 256;

    WheelhouseProperties {
        BadOption.require(shards >= 1 && shards <= MOST_SHARDS, "wheelhouse.shards", shards,
                "a number from 1 to " + MOST_SHARDS);
        if (workers != null) {
            BadOption.requireFromOne("wheelhouse.workers", workers);
        }
        BadOption.requirePositive("wheelhouse.stop-grace", stopGrace);
        workersOf = Map.copyOf(workersOf);
        workersOf
                .forEach((controller, count) -> BadOption.requireFromOne("wheelhouse.workers-of." + controller, count));
        if (kubeconfig != null && mode != Mode.AUTO && mode != Mode.KUBECONFIG) {
            throw new BadOption("wheelhouse.kubeconfig is set, but wheelhouse.mode says "
                    + mode.name().toLowerCase(Locale.ROOT)
                    + ": leave out one of the two");
        }
        if (node.bootstrapKubeconfig() != null && (mode != Mode.AUTO || kubeconfig != null || context != null
                || nodes.count() != null && nodes.count() > 0)) {
            throw new BadOption("wheelhouse.node.bootstrap-kubeconfig is set, so this process works with the "
                    + "credentials of one node: leave out wheelhouse.mode, wheelhouse.kubeconfig, wheelhouse.context "
                    + "and wheelhouse.nodes.count");
        }
    }

    /** The join of this process as a node; null if it joins none. */
    @Nullable
    NodeJoin join() {
        return node.bootstrapKubeconfig() == null ? null : new NodeJoin(this, node.bootstrapKubeconfig());
    }

    /**
     * Whether this process makes the service accounts that pods need.
     *
     * @param service whether the built-in controllers run by default
     */
    boolean runsServiceAccounts(boolean service) {
        return BuiltInControllers.all().stream().filter(d -> d.name().equals(ServiceAccountController.NAME))
                .anyMatch(controller -> ControllerSelection.isSelected(controller, controllers, service));
    }

    /** Whether no option says which API server is meant. */
    boolean namesNoServer() {
        return mode == Mode.AUTO && kubeconfig == null && context == null;
    }

    /**
     * The mode; {@code auto} is replaced by the mode that it selects.
     * @param inCluster whether this process runs in a pod
     * @param otherwise the mode outside of a pod, without a named kubeconfig
     */
    Mode effectiveMode(boolean inCluster, Mode otherwise) {
        if (mode != Mode.AUTO) {
            return mode;
        }
        return kubeconfig != null || context != null ? Mode.KUBECONFIG : inCluster ? Mode.IN_CLUSTER : otherwise;
    }
}
