package dev.wheelhouse.spring;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.wheelhouse.facts.Release;
import dev.wheelhouse.runtime.DidYouMean;

/**
 * Answers the command line before the service starts: with the help, the version, or an error about an unknown option.
 */
public final class CommandLine {
    private static final List<String> PREFIXES = List.of("wheelhouse.", "server.", "spring.", "management.", "logging.",
            "debug", "trace",
            "kubernetes.", "info.");

    private static final Pattern OPTION = Pattern.compile("--((?:wheelhouse|server)\\.[.a-z-]+)");

    private static final String HELP = """
            Wheelhouse, a Kubernetes controller manager.

            Without options it starts an embedded API server with hollow nodes, a scheduler and the controllers.
            --version prints its version.

            Options:
              --wheelhouse.mode=auto|embedded|kubeconfig|in-cluster  the kind of API server to use
              --wheelhouse.kubeconfig=FILE                           the kubeconfig of another API server
              --wheelhouse.context=NAME                              a context in it, instead of the current one
              --wheelhouse.kube-api-content-type=TYPE                application/vnd.kubernetes.protobuf or
                                                                     application/json, for another API server
              --wheelhouse.controllers=*,-NAME                       the controllers to run (-*: none)
              --wheelhouse.manage=auto|takeover|observe              whether controllers write (auto: if no other
                                                                     controller manager is alive)
              --wheelhouse.workers=N                                 the workers of each controller
              --wheelhouse.workers-of.NAME=N                         the workers of one controller
              --wheelhouse.concurrent-deployment-syncs=5             the workers of single controllers, as in
              --wheelhouse.concurrent-replicaset-syncs=5             kube-controller-manager; --wheelhouse.workers
              --wheelhouse.concurrent-rc-syncs=5                     counts before these
              --wheelhouse.concurrent-statefulset-syncs=5
              --wheelhouse.concurrent-daemonset-syncs=2
              --wheelhouse.concurrent-job-syncs=5
              --wheelhouse.concurrent-cron-job-syncs=5
              --wheelhouse.concurrent-ttl-after-finished-syncs=5
              --wheelhouse.concurrent-horizontal-pod-autoscaler-syncs=5
              --wheelhouse.concurrent-gc-syncs=20
              --wheelhouse.concurrent-namespace-syncs=10
              --wheelhouse.concurrent-resource-quota-syncs=5
              --wheelhouse.concurrent-serviceaccount-token-syncs=5
              --wheelhouse.concurrent-endpoint-syncs=5
              --wheelhouse.concurrent-service-endpoint-syncs=5
              --wheelhouse.mirroring-concurrent-service-endpoint-syncs=5
              --wheelhouse.concurrent-ephemeralvolume-syncs=5
              --wheelhouse.concurrent-resourceclaim-syncs=50
              --wheelhouse.concurrent-device-taint-eviction-syncs=8
              --wheelhouse.concurrent-validating-admission-policy-status-syncs=5
              --wheelhouse.kube-api-qps=0                            the requests a second of each controller (0: no
                                                                     limit)
              --wheelhouse.kube-api-burst=30                         its requests at once
              --wheelhouse.use-service-account-credentials=true      each controller uses its own service account
              --wheelhouse.min-resync-period=12h                     handlers see all objects again after this time,
                                                                     or up to twice of it (0: never)
            Single controllers:
              --wheelhouse.enable-garbage-collector=false            run no garbage collector
              --wheelhouse.enable-dynamic-provisioning=false         ask no provisioner for volumes
              --wheelhouse.pvclaimbinder-sync-period=15s             look at all volumes and claims this often
              --wheelhouse.namespace-sync-period=5m                  look at all namespaces this often (0: never)
              --wheelhouse.terminated-pod-gc-threshold=12500         keep this many ended pods (0: all of them)
              --wheelhouse.resource-quota-sync-period=5m             count the usage of all quotas this often (0: never)
              --wheelhouse.horizontal-pod-autoscaler-sync-period=15s                 the time between two syncs
              --wheelhouse.horizontal-pod-autoscaler-downscale-stabilization=5m      no size below those that were
                                                                     recommended in this time
              --wheelhouse.horizontal-pod-autoscaler-tolerance=0.1                   no change of the size for a smaller
                                                                     difference of the usage from the target
              --wheelhouse.horizontal-pod-autoscaler-cpu-initialization-period=5m    the CPU usage of a pod this young
                                                                     counts only from when it was ready
              --wheelhouse.horizontal-pod-autoscaler-initial-readiness-delay=30s     a pod that turns unready this young
                                                                     was never ready
              --wheelhouse.node-monitor-grace-period=50s             a node without a sign of life for this long is not
                                                                     ready
              --wheelhouse.node-startup-grace-period=1m              the same for a new node
              --wheelhouse.node-monitor-period=5s                    the time between two looks at all nodes
              --wheelhouse.node-eviction-rate=0.1                    the nodes a second whose pods are evicted
              --wheelhouse.secondary-node-eviction-rate=0.01         the same in a large zone that is unhealthy
              --wheelhouse.large-cluster-size-threshold=50           the most nodes of a small zone
              --wheelhouse.unhealthy-zone-threshold=0.55             the fraction of nodes that makes a zone unhealthy
              --wheelhouse.allocate-node-cidrs=true                  give nodes ranges of addresses for their pods
              --wheelhouse.cluster-cidr=RANGE                        the range of all of them
              --wheelhouse.service-cluster-ip-range=RANGE            the range of Services, which nodes do not get
              --wheelhouse.node-cidr-mask-size=24                    the prefix of a node's range (dual-stack:
              --wheelhouse.node-cidr-mask-size-ipv4=24               of each family)
              --wheelhouse.node-cidr-mask-size-ipv6=64
              --wheelhouse.root-ca-file=FILE                         the authorities of the API server, for pods
              --wheelhouse.service-account-private-key-file=FILE     the key of the tokens in Secrets
              --wheelhouse.legacy-service-account-token-clean-up-period=8760h        tokens unused for so long are
                                                                     deleted
              --wheelhouse.cluster-signing-cert-file=FILE            the authority that signs certificates, and its key:
              --wheelhouse.cluster-signing-key-file=FILE             for single signers the following ones
              --wheelhouse.cluster-signing-kubelet-serving-cert-file=FILE
              --wheelhouse.cluster-signing-kubelet-serving-key-file=FILE
              --wheelhouse.cluster-signing-kubelet-client-cert-file=FILE
              --wheelhouse.cluster-signing-kubelet-client-key-file=FILE
              --wheelhouse.cluster-signing-kube-apiserver-client-cert-file=FILE
              --wheelhouse.cluster-signing-kube-apiserver-client-key-file=FILE
              --wheelhouse.cluster-signing-legacy-unknown-cert-file=FILE
              --wheelhouse.cluster-signing-legacy-unknown-key-file=FILE
              --wheelhouse.cluster-signing-duration=8760h            the longest life of a signed certificate
              --wheelhouse.max-endpoints-per-slice=100               the most endpoints of an EndpointSlice
              --wheelhouse.endpointslice-updates-batch-period=0s     EndpointSlices wait for further changes of pods
              --wheelhouse.endpoint-updates-batch-period=0s          Endpoints wait for further changes of pods
              --wheelhouse.mirroring-max-endpoints-per-subset=1000   the most addresses of a subset that are mirrored
              --wheelhouse.mirroring-endpointslice-updates-batch-period=0s           mirrored Endpoints wait for further
                                                                     changes of EndpointSlices
              --wheelhouse.enable-hostpath-provisioner=true          make volumes for kubernetes.io/host-path
              --wheelhouse.pv-recycler-minimum-timeout-nfs=300       the least time of a pod that empties a volume,
              --wheelhouse.pv-recycler-increment-timeout-nfs=30      and the time for each GiB, in seconds
              --wheelhouse.pv-recycler-minimum-timeout-hostpath=60
              --wheelhouse.pv-recycler-timeout-increment-hostpath=30
              --wheelhouse.attach-detach-reconcile-sync-period=1m    attached volumes are compared with their
              --wheelhouse.disable-attach-detach-reconcile-sync=true VolumeAttachments once in this time, or never
              --wheelhouse.disable-force-detach-on-timeout=true      wait for nodes that are not ready without end
            Leader election:
              --wheelhouse.shards=N                                  divide the namespaces among the replicas (1: not)
              --wheelhouse.leader-election.enabled=true              act only while holding a Lease (default: in a pod)
              --wheelhouse.leader-election.resource-namespace=NS     the namespace of the Lease
              --wheelhouse.leader-election.resource-name=NAME        the name of the Lease
              --wheelhouse.leader-election.lease-duration=15s        others take the Lease this long after a renewal
              --wheelhouse.leader-election.renew-deadline=10s        the leader acts this long after a renewal
              --wheelhouse.leader-election.retry-period=2s           the time between two attempts
              --wheelhouse.leader-elect=true                         the same six by kube-controller-manager's names
              --wheelhouse.leader-elect-resource-namespace=NS
              --wheelhouse.leader-elect-resource-name=NAME
              --wheelhouse.leader-elect-lease-duration=15s
              --wheelhouse.leader-elect-renew-deadline=10s
              --wheelhouse.leader-elect-retry-period=2s
              --wheelhouse.standby=warm|cold                         whether caches run while another process leads
            Webhooks of operators:
              --wheelhouse.webhooks.service=NAME                     the Service by which API servers call them
              --wheelhouse.webhooks.namespace=NS                     its namespace (default: that of the connection)
              --wheelhouse.webhooks.port=9443                        the port that it leads to
              --wheelhouse.webhooks.files=DIR                        tls.crt and tls.key (default: made by itself)
            The embedded API server:
              --wheelhouse.apiserver.address=ADDRESS                 the address to listen on
              --wheelhouse.apiserver.port=PORT                       the port to listen on (0: any free port)
              --wheelhouse.apiserver.external-hostname=NAME          the host name for clients, instead of the address
              --wheelhouse.apiserver.kubeconfig=FILE                 the kubeconfig file that it writes
              --wheelhouse.apiserver.data-dir=DIR                    where it stores objects (default: in memory)
              --wheelhouse.apiserver.fsync=false                     do not wait for the disk: writes survive kill -9,
                                                                     but no loss of power
              --wheelhouse.apiserver.authorization-mode=MODE         always-allow, or rbac: by roles and bindings
              --wheelhouse.apiserver.token-auth-file=FILE            users: lines of token,user,uid,"group1,group2"
              --wheelhouse.apiserver.client-ca-file=FILE             the authorities of client certificates
              --wheelhouse.apiserver.tls-self-signed=true            serve TLS with a certificate of its own
              --wheelhouse.apiserver.tls-cert-file=FILE              serve TLS with this certificate
              --wheelhouse.apiserver.tls-private-key-file=FILE       and this private key
              --wheelhouse.apiserver.runtime-config=api/beta=true    APIs that are served besides the stable ones
              --wheelhouse.apiserver.limits.requests=N               the most requests at a time, without watches
              --wheelhouse.apiserver.limits.watches=N                the most watches at a time
              --wheelhouse.apiserver.limits.connections=N            the most connections at a time
              --wheelhouse.apiserver.limits.body-size=3MB            the largest body of a request
              --wheelhouse.apiserver.limits.header-size=64KB         the largest request line with headers
              --wheelhouse.apiserver.limits.io-timeout=30s           the longest wait for bytes from or to a client
              --wheelhouse.apiserver.limits.request-timeout=60s      the longest time to answer a request
            Hollow nodes and the scheduler:
              --wheelhouse.nodes.count=N                             the number of hollow nodes
              --wheelhouse.nodes.cpu=4                               the CPUs of each
              --wheelhouse.nodes.memory=8Gi                          the memory of each
              --wheelhouse.nodes.pods=110                            the number of pods that each can run
              --wheelhouse.nodes.name-prefix=node-                   the start of their names
              --wheelhouse.nodes.profile=PROFILE                     the behaviour of pods without annotations for it:
                                                                     none, slow, flaky, stuck, crashing, unpullable
              --wheelhouse.nodes.storage=true|false                  make a default StorageClass and hollow volumes
                                                                     (default: in mode embedded)
              --wheelhouse.scheduler=true|false                      run a scheduler (default: in mode embedded)
            One node, on any API server:
              --wheelhouse.node.name=NAME                            its name (default: the first hollow node, or
                                                                     a node with the host's name)
              --wheelhouse.node.manifest-directory=PATH              its static pods (default: manifests/ if it exists)
              --wheelhouse.node.manifest-url=URL                     the URL of further static pods
              --wheelhouse.node.manifest-url-headers=NAME:VALUE,...  the headers of requests to the URL
              --wheelhouse.node.file-check-period=20s                the longest time between two reads of the directory
              --wheelhouse.node.http-check-period=20s                the time between two requests to the URL
              --wheelhouse.node.config=FILE                          a KubeletConfiguration that says all this
              --wheelhouse.node.capacity=cpu=4,memory=8Gi,pods=110   its resources
              --wheelhouse.node.labels=KEY=VALUE,...                 its labels
              --wheelhouse.node.taints=KEY=VALUE:EFFECT,...          its taints
            The console:
              --wheelhouse.console.enabled=false                     serve no console
              --wheelhouse.console.writable=true|false               let authorised callers change controllers
                                                                     (default: in mode embedded)
              --wheelhouse.console.journal=4MB                       the memory of the journal of writes (0: none)
            Caches, health and metrics:
              --wheelhouse.informer.drop-last-applied=true           drop kubectl's last-applied annotation from caches
              --wheelhouse.informer.watch-list=true                  fill caches by a watch instead of a list
              --wheelhouse.informer.gzip=true                        compress lists, if the API server is far
              --wheelhouse.management.hosts=NAME,...                 host names for clients of health and metrics,
                                                                     in addition to addresses and the machine's name
              --wheelhouse.management.step-deadline=10m              liveness fails if a loop is this long in one step
              --wheelhouse.tracing=true                              a span for each sync, with its writes as children
              --server.port=PORT                                     the port of the console, health and metrics (0: any
                                                                     free port)

            Any other Spring Boot property works as well.""";

    private CommandLine() {}

    /** The text to print instead of starting, and the exit code. */
    public record Answer(String text, int exitCode) {}

    /** The answer to print instead of starting; empty if the service may start. */
    public static Optional<Answer> check(String... args) {
        for (String arg : args) {
            if (arg.equals("--help") || arg.equals("-h")) {
                return Optional.of(new Answer(HELP, 0));
            }
            if (arg.equals("--version")) {
                return Optional.of(new Answer(version(), 0));
            }
            if (!arg.startsWith("--")) {
                return refuse("\"" + arg + "\" is no option: options are written --name=value, and --help lists them");
            }
            String name = arg.substring(2).split("=", 2)[0];
            if (PREFIXES.stream().noneMatch(name::startsWith)) {
                return refuse("there is no option --" + name + ": " + UpstreamFlags.instead(name)
                        .orElseGet(() -> didYouMean(name) + "--help lists the options"));
            }
        }
        return Optional.empty();
    }

    /** The question whether a similar option was meant; empty if there is none. */
    static String didYouMean(String name) {
        return DidYouMean.ask(name, OPTION.matcher(HELP).results().map(option -> option.group(1)).toList());
    }

    private static String version() {
        String built = CommandLine.class.getPackage().getImplementationVersion();
        return "Wheelhouse " + (built == null ? "from its class files" : built) + ", for Kubernetes " + Release.MAJOR
                + "." + Release.MINOR + ", on Java " + Runtime.version();
    }

    private static Optional<Answer> refuse(String problem) {
        return Optional.of(new Answer(OneSentenceReporter.PREFIX + problem, 1));
    }
}
