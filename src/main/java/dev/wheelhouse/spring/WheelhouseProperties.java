package dev.wheelhouse.spring;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.QuantityFormatException;

import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.manager.ManagerGuard;

/**
 * The options of the service, {@code --wheelhouse.*}.
 *
 * @param mode which API server to work on
 * @param kubeconfig the kubeconfig to use; naming one selects the mode {@code kubeconfig}
 * @param context the kubeconfig's context to use instead of its current one
 * @param controllers which controllers run, as kube-controller-manager's {@code --controllers} says it
 * @param manage whether the controllers write, on an API server that another controller manager may be working on
 * @param workers how many workers each controller has
 * @param workersOf how many some have instead, by a controller's name or alias
 * @param apiserver the embedded API server
 * @param nodes the hollow nodes
 * @param scheduler whether to run a scheduler; if unsaid, on the embedded API server only
 * @param node one node of one's own, and its pod sources
 * @param informer the caches
 * @param leaderElection how one of several processes is chosen to act
 * @param management health, metrics and the other endpoints that look into the service
 */
@ConfigurationProperties(prefix = "wheelhouse", ignoreUnknownFields = false)
public record WheelhouseProperties(@DefaultValue("auto") Mode mode, @Nullable String kubeconfig,
        @Nullable String context,
        @DefaultValue("*") List<String> controllers, @DefaultValue("auto") ManagerGuard.Mode manage,
        @DefaultValue("5") int workers, @DefaultValue Map<String, Integer> workersOf,
        @DefaultValue ApiServerProperties apiserver, @DefaultValue Nodes nodes, @Nullable Boolean scheduler,
        @DefaultValue NodeProperties node, @DefaultValue Informer informer,
        @DefaultValue ElectionProperties leaderElection, @DefaultValue Management management) {

    /** Which API server to work on. */
    public enum Mode {
        /** A named kubeconfig if there is one, else the cluster that this process runs in, else the embedded one. */
        AUTO,
        /** One in this process, with hollow nodes and a scheduler. */
        EMBEDDED,
        /** The one of a kubeconfig: the named one, else by {@code KUBECONFIG} or {@code ~/.kube/config}. */
        KUBECONFIG,
        /** The one of the cluster that this process runs in, by the pod's service account. */
        IN_CLUSTER
    }

    /**
     * @param dropLastApplied whether the caches leave the value of {@code kubectl.kubernetes.io/last-applied-configuration} out
     * @param watchList whether caches are filled by a watch that begins with all there is, where the API server can do it
     */
    public record Informer(@DefaultValue("false") boolean dropLastApplied, @DefaultValue("false") boolean watchList) {
        InformerOptions options() {
            return InformerOptions.builder().dropLastApplied(dropLastApplied).watchList(watchList).build();
        }
    }

    /** @param hosts the names by which clients may call it, beside its addresses, those of loopback and the machine's name */
    public record Management(@DefaultValue({
    }) List<String> hosts) {
        public Management {
            hosts = List.copyOf(hosts);
        }
    }

    /**
     * @param count how many; if unsaid, 2 on the embedded API server and none elsewhere
     * @param namePrefix their names are this and a number from 1
     * @param cpu each node's CPUs, a quantity
     * @param memory each node's memory, a quantity
     * @param pods how many pods each node takes
     * @param profile how pods behave that do not say so themselves: none, slow, flaky, stuck, crashing, unpullable
     */
    public record Nodes(@Nullable Integer count, @DefaultValue("node-") String namePrefix,
            @DefaultValue("4") String cpu,
            @DefaultValue("8Gi") String memory, @DefaultValue("110") int pods, @DefaultValue("none") String profile) {
        public Nodes {
            require(count == null || (count >= 0 && count <= 3000), "wheelhouse.nodes.count", String.valueOf(count),
                    "a number from 0 to 3000");
            require(pods >= 1, "wheelhouse.nodes.pods", pods, "a number from 1");
            requireQuantity("wheelhouse.nodes.cpu", cpu);
            requireQuantity("wheelhouse.nodes.memory", memory);
        }

        private static void requireQuantity(String option, String value) {
            try {
                Quantity.fromString(value);
            } catch (QuantityFormatException e) {
                require(false, option, "\"" + value + "\"", "a quantity, such as 4, 500m or 8Gi");
            }
        }
    }

    public WheelhouseProperties {
        requireWorkers("wheelhouse.workers", workers);
        workersOf = Map.copyOf(workersOf);
        workersOf.forEach((controller, count) -> requireWorkers("wheelhouse.workers-of." + controller, count));
        if (kubeconfig != null && (mode == Mode.EMBEDDED || mode == Mode.IN_CLUSTER)) {
            throw new BadOption("wheelhouse.kubeconfig is set, but wheelhouse.mode says "
                    + mode.name().toLowerCase(java.util.Locale.ROOT)
                    + ": leave out one of the two");
        }
    }

    private static void requireWorkers(String option, int count) {
        require(count >= 1 && count <= 1000, option, count, "a number from 1 to 1000");
    }

    private static void require(boolean good, String option, Object value, String wanted) {
        if (!good) {
            throw new BadOption(option + " is " + value + ": it must be " + wanted);
        }
    }

    /** The mode, with {@code auto} settled. @param inCluster whether this process runs in a pod */
    Mode effectiveMode(boolean inCluster) {
        if (mode != Mode.AUTO) {
            return mode;
        }
        return kubeconfig != null || context != null ? Mode.KUBECONFIG : inCluster ? Mode.IN_CLUSTER : Mode.EMBEDDED;
    }
}
