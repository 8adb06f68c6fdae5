package dev.wheelhouse.node.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.ResourceEventHandler;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.node.NodeAgentOptions;
import dev.wheelhouse.podconfig.PodSources;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.Resources;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * The network that pods of a node need besides addresses of their own: it keeps the machine's rules and the DNS server
 * by the caches of Services, EndpointSlices and Nodes. The rules of Services are for the whole machine, so only one of
 * several nodes on a machine writes them: the one that holds the port of kube-proxy, which is another such writer.
 * Thread safe.
 */
public final class PodNetwork extends SignalledLoop {
    /** The domain of the cluster's names. */
    public static final String DOMAIN = "cluster.local";
    private static final Logger log = LoggerFactory.getLogger(PodNetwork.class);
    private static final int PROXY_PORT = 10_256;
    private static final String MANAGER = "wheelhouse-node";
    private static final String DNS_ADDRESS = "10.96.0.10";
    private static final ObjectKey DNS = ObjectKey.of("kube-system", "kube-dns");
    private static final Path FORWARDING = Path.of("/proc/sys/net/ipv4/ip_forward");
    /** The least time between two transactions. */
    private static final long PAUSE = Duration.ofMillis(100).toNanos();
    private static final long RETRY = Duration.ofSeconds(5).toNanos();
    private static final long CHECK = Duration.ofSeconds(10).toNanos();

    private final NodeAgentOptions node;
    private final Supplier<List<PodPort>> ports;
    private final InformerFactory informers;
    /** The caches that only rules and names need. A node alone has no right to read them. */
    private final InformerFactory further;
    private final SharedIndexInformer<V1Service> services;
    private final SharedIndexInformer<V1EndpointSlice> slices;
    private final SharedIndexInformer<V1Node> nodes;
    private final ResourceClient<V1Service> serviceClient;
    private final ResourceClient<V1EndpointSlice> sliceClient;
    private final Clock clock;
    private final LogBudget lines;
    private final boolean serves;
    private final NftTable serviceTable = new NftTable(ServiceRules.TABLE);
    private final NftTable nodeTable;
    private final long patience;
    private @Nullable ServerSocket turn;
    private volatile @Nullable DnsServer server;
    private volatile @Nullable ClusterNames names;
    private String announced = "";
    private long next;
    private long nextCheck;

    /**
     * @param serves whether to make rules and to answer names; otherwise other programs of the cluster do
     * @param ports the host ports of the node's pods that have an address
     * @param client may read Services, EndpointSlices and Nodes, and write those of the DNS server, which nodes may not
     */
    public PodNetwork(NodeAgentOptions node, boolean serves, Supplier<List<PodPort>> ports, KubeClient client,
            Clock clock) {
        this.node = node;
        this.serves = serves;
        this.ports = ports;
        this.clock = clock;
        this.lines = new LogBudget(clock);
        this.nodeTable = new NftTable("wheelhouse-" + node.name());
        this.patience = clock.deadline(Duration.ofSeconds(5));
        this.next = clock.nanoTime();
        this.nextCheck = clock.nanoTime() + CHECK;
        serviceClient = client.resource(ResourceType.SERVICES, V1Service.class);
        sliceClient = client.resource(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class);
        informers = new InformerFactory(client, clock);
        services = informers.informer(ResourceType.SERVICES, V1Service.class);
        further = new InformerFactory(client, clock);
        slices = further.informer(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class);
        nodes = further.informer(ResourceType.NODES, V1Node.class);
        follow(services, V1Service::getMetadata);
        follow(slices, V1EndpointSlice::getMetadata);
        // The status of a Node changes often, and says nothing of its network.
        follow(nodes, each -> List.of(Absent.orEmpty(each.getMetadata().getLabels()), String.valueOf(each.getSpec())));
    }

    private <T extends KubernetesObject> void follow(SharedIndexInformer<T> informer, Function<T, Object> matters) {
        informer.addEventHandler(ResourceEventHandler.of((before, after) -> {
            if (before == null || after == null || !matters.apply(before).equals(matters.apply(after))) {
                wake();
            }
        }));
    }

    /** Starts the caches, the DNS server and the writing of rules. */
    public void start(LoopRunner runner) {
        informers.start(runner);
        if (!serves) {
            return;
        }
        further.start(runner);
        try {
            DnsServer made = new DnsServer(InetAddress.getByName(node.hostIp()), () -> names,
                    DnsServer::ofMachine, runner, clock);
            server = made;
            runner.start(node.name() + "/dns", made);
        } catch (IOException e) {
            log.warn("the node {} answers no names of Services, because no DNS server can listen on {}: {}",
                    node.name(), node.hostIp(), e.getMessage());
        }
        runner.start(node.name() + "/network", this);
    }

    @Override
    public long step() {
        long now = clock.nanoTime();
        if (isClosed() || now < next) {
            return isClosed() ? IDLE : next - now;
        }
        next = now + PAUSE;
        try {
            if (now >= nextCheck) {
                nextCheck = now + CHECK;
                nodeTable.check();
                serviceTable.check();
            }
            writeRules();
            if (names != null) {
                announce();
            }
            return CHECK;
        } catch (IOException | KubeApiException e) {
            if (isClosed()) {
                return IDLE;
            }
            lines.warn(log, "the addresses of Services are not up to date on the node " + node.name()
                    + "; it is tried again every 5 s: " + e.getMessage());
            next = now + RETRY;
            return RETRY;
        }
    }

    private void writeRules() throws IOException {
        if (!Files.readString(FORWARDING).startsWith("1")) {
            Files.writeString(FORWARDING, "1");
        }
        String range = range();
        if (range != null) {
            nodeTable.write(NodeRules.of(node.name(), ports.get(), range,
                    ranges(range, nodes.getIndexer().list())));
        }
        if (range == null || !informers.hasSynced() || !further.hasSynced()) {
            return;
        }
        Map<String, List<V1EndpointSlice>> all = slices.getIndexer().list().stream().collect(Collectors.groupingBy(
                each -> each.getMetadata().getNamespace() + "/" + Metadata.label(each, "kubernetes.io/service-name")));
        Function<V1Service, List<V1EndpointSlice>> ofService = each -> all
                .getOrDefault(each.getMetadata().getNamespace() + "/" + each.getMetadata().getName(), List.of());
        names = ClusterNames.of(services.getIndexer().list(), ofService);
        if (!takesTurn()) {
            return;
        }
        List<V1Node> here = nodes.getIndexer().list().stream().filter(this::isHere).toList();
        serviceTable.write(ServiceRules.of(services.getIndexer().list(), ofService, new ServiceRules.Machine(
                Stream.concat(Stream.of(node.name()), here.stream().map(each -> each.getMetadata().getName()))
                        .collect(Collectors.toSet()),
                ranges(range, here))));
    }

    private static Set<String> ranges(String own, List<V1Node> others) {
        return Stream.concat(Stream.of(own), others.stream().map(each -> each.getSpec().getPodCIDR()))
                .filter(Objects::nonNull).collect(Collectors.toSet());
    }

    /** Whether a node is on this machine. */
    private boolean isHere(V1Node other) {
        return other.getStatus() != null && Absent.orEmpty(other.getStatus().getAddresses()).stream()
                .anyMatch(each -> "InternalIP".equals(each.getType()) && node.hostIp().equals(each.getAddress()));
    }

    /** Whether this node is the one that writes the rules of Services. */
    private boolean takesTurn() {
        if (turn == null) {
            try {
                turn = new ServerSocket(PROXY_PORT, 1, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                log.debug("another process or node writes the rules of Services: {}", e.getMessage());
            }
        }
        return turn != null;
    }

    /** The range of the addresses of the node's pods; null while it may still come from the API server. */
    public @Nullable String range() {
        V1Node own = nodes.get(ObjectKey.cluster(node.name()));
        String given = own == null || own.getSpec() == null ? null : own.getSpec().getPodCIDR();
        return given != null ? given : clock.nanoTime() - patience >= 0 ? node.podCidr() : null;
    }

    /** Whether a pod can start: the Services are there. A static pod does not wait for an API server. */
    public boolean isReadyFor(V1Pod pod) {
        String source = Metadata.annotation(pod, PodSources.SOURCE_ANNOTATION);
        return informers.hasSynced() || source != null && !source.equals(PodSources.API);
    }

    /** The variables of a pod's containers that name Services. */
    public Map<String, String> variables(V1Pod pod) {
        return ServiceVariables.of(Absent.orEmpty(pod.getMetadata().getNamespace()),
                !Boolean.FALSE.equals(pod.getSpec().getEnableServiceLinks()), services.getIndexer().list());
    }

    /** The address of the cluster's DNS server for pods; null if there is none. */
    public @Nullable String nameServer() {
        V1Service there = services.get(DNS);
        String address = there == null ? null : there.getSpec().getClusterIP();
        return ServiceRules.isIpv4(address) ? address : server != null && services.hasSynced() ? DNS_ADDRESS : null;
    }

    /** Makes the Service of the DNS server, and its endpoint on this node. A Service with pods is left alone. */
    private void announce() {
        DnsServer own = server;
        if (own == null) {
            return;
        }
        V1Service there = services.get(DNS);
        V1Node self = nodes.get(ObjectKey.cluster(node.name()));
        if (there == null) {
            String wanted = Resources.text(PodNetwork.class, "Service.json");
            try {
                serviceClient.apply(DNS, "", MANAGER, true, wanted);
            } catch (KubeApiException e) {
                // The address is of another Service, or of another range than this cluster's.
                serviceClient.apply(DNS, "", MANAGER, true, wanted.replace("\"clusterIP\": \"10.96.0.10\",", ""));
            }
        } else if (self != null && Absent.orEmpty(there.getSpec().getSelector()).isEmpty()) {
            ObjectKey key = ObjectKey.of(DNS.namespace(), DNS.name() + "-" + node.name());
            String wanted = Resources.text(PodNetwork.class, "EndpointSlice.json").replace("<NODE>", node.name())
                    .replace("<UID>", self.getMetadata().getUid()).replace("<IP>", node.hostIp())
                    .replace("<PORT>", String.valueOf(own.port()));
            V1EndpointSlice known = slices.get(key);
            if (known == null || !wanted.equals(announced)) {
                sliceClient.apply(key, "", MANAGER, true, wanted);
                announced = wanted;
            }
        }
    }

    /** Ends all, and takes the rules away. */
    @Override
    public void close() {
        super.close();
        informers.close();
        further.close();
        DnsServer own = server;
        if (own != null) {
            own.close();
        }
        try {
            nodeTable.close();
            serviceTable.close();
            if (turn != null) {
                turn.close();
            }
        } catch (IOException e) {
            log.warn("rules of the node {} stay on this machine; remove them by \"nft delete table ip {}\": {}",
                    node.name(), ServiceRules.TABLE, e.getMessage());
        }
    }
}
