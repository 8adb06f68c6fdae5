package dev.wheelhouse.controllers.attach;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1AttachedVolume;
import io.kubernetes.client.openapi.models.V1CSIDriver;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;
import io.kubernetes.client.openapi.models.V1VolumeAttachmentSource;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ActionExecutor.Outcome;
import dev.wheelhouse.controller.Change;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Measure;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.attach.AttachDecisions.Decision;
import dev.wheelhouse.controllers.attach.NodeAttachments.Wanted;
import dev.wheelhouse.controllers.pods.Pods;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.volumes.PodsOfClaims;
import dev.wheelhouse.volumes.Volumes;
import dev.wheelhouse.workqueue.RateLimits;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Attaches the volumes of pods to their nodes by VolumeAttachments, and detaches them when no pod uses them (upstream:
 * {@code pkg/controller/volume/attachdetach}). Its keys are the names of nodes, and it has one worker, because nodes
 * compete for volumes. It works for nodes whose kubelets leave this to it, and answers for the VolumeAttachments that
 * it found at its start, that pods want, and that it made. Others are left alone.
 */
public final class AttachDetachController extends KeyedController<ObjectKey> {
    public static final String NAME = "persistentvolume-attach-detach-controller";
    /** The type of the requests to CSI drivers. */
    public static final ResourceType ATTACHMENTS = Volumes.ATTACHMENTS;
    /** The type that describes CSI drivers. */
    public static final ResourceType DRIVERS = Volumes.CSI_DRIVERS;

    /** On a node: its kubelet waits until this controller has attached a volume. */
    static final String MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";

    private static final Measure FORCED = Measure.counter(
            "attach_detach_controller_attachdetach_controller_forced_detaches_total",
            "Volumes detached before the kubelet reported their unmount", "reason");
    private static final String BY_NODE = NAME + "/node";
    private static final String BY_VOLUME = NAME + "/volume";

    private final SharedIndexInformer<V1Pod> pods;
    private final PodsOfClaims podsOfClaims;
    private final SharedIndexInformer<V1Node> nodes;
    private final SharedIndexInformer<V1PersistentVolumeClaim> claims;
    private final SharedIndexInformer<V1PersistentVolume> volumes;
    private final SharedIndexInformer<V1VolumeAttachment> attachments;
    private final SharedIndexInformer<V1CSIDriver> drivers;
    private final ResourceClient<V1Node> liveNodes;
    private final ControllerOptions.AttachDetach options;

    /** The VolumeAttachments that this controller answers for. */
    private final Set<ObjectKey> own = ConcurrentHashMap.newKeySet();
    /** The VolumeAttachments that it has made and that the cache does not show yet. */
    private final Map<ObjectKey, V1VolumeAttachment> made = new ConcurrentHashMap<>();
    /** The volumes that the kubelets of removed nodes used. */
    private final Map<String, Set<String>> goneNodes = new ConcurrentHashMap<>();
    /**
     * The nodes whose volumes this controller attaches. A node that loses the annotation stays one until the next
     * process, because its volumes remain attached.
     */
    private final Set<String> managed = ConcurrentHashMap.newKeySet();
    /** The memory of volumes, by node. Its values do not change. */
    private final Map<String, Map<String, AttachState>> attempts = new ConcurrentHashMap<>();
    /** The numbers of the periods in which nodes were compared last, by node. */
    private final Map<String, Long> verified = new ConcurrentHashMap<>();
    /** Whether it has chosen among the VolumeAttachments of its start. */
    private volatile boolean adopted;
    /** All nodes are compared at the same times, as upstream's loop does. */
    private final Instant start;

    public AttachDetachController(ControllerContext context) {
        super(NAME, "attachdetach-controller", context, RateLimits.CONTROLLER, 1);
        this.pods = informerFor(ResourceType.PODS, V1Pod.class);
        this.nodes = informerFor(ResourceType.NODES, V1Node.class);
        this.claims = informerFor(ResourceType.PERSISTENT_VOLUME_CLAIMS, V1PersistentVolumeClaim.class);
        this.volumes = informerFor(ResourceType.PERSISTENT_VOLUMES, V1PersistentVolume.class);
        this.attachments = informerFor(ATTACHMENTS, V1VolumeAttachment.class);
        this.drivers = informerFor(DRIVERS, V1CSIDriver.class);
        this.liveNodes = context.client().resource(ResourceType.NODES, V1Node.class);
        this.options = context.options().get(ControllerOptions.AttachDetach.DEFAULTS);
        this.start = clock.now();
        pods.getIndexer().addIndex(BY_NODE, AttachDetachController::nodes);
        pods.getIndexer().addIndex(BY_VOLUME, pod -> ownVolumes(pod).map(Attachable::name).toList());
        podsOfClaims = new PodsOfClaims(pods.getIndexer());
        attachments.getIndexer().addIndex(BY_NODE, attachment -> List.of(attachment.getSpec().getNodeName()));
        attachments.getIndexer().addIndex(BY_VOLUME, attachment -> List.of(volumeOf(attachment)));
        watch(pods).enqueueEach(AttachDetachController::nodeKeys);
        watch(nodes).first(this::rememberVolumes).enqueue(ObjectKey::of);
        watch(claims).enqueueEach(claim -> nodesUsing(ObjectKey.of(claim)));
        watch(volumes).enqueueEach(this::nodesUsing);
        watch(attachments).first(this::answerFor).enqueueEach(this::nodesConcernedBy);
    }

    /** The node of a pod with volumes, under which the pod is indexed. */
    private static List<String> nodes(V1Pod pod) {
        String node = pod.getSpec().getNodeName();
        return node == null || node.isEmpty()
                || Volumes.claimsOf(pod).isEmpty() && ownVolumes(pod).findAny().isEmpty() ? List.of() : List.of(node);
    }

    /** The volumes that a pod defines by itself. */
    private static Stream<Attachable> ownVolumes(V1Pod pod) {
        return orEmpty(pod.getSpec().getVolumes()).stream()
                .map(volume -> Attachable.of(volume, String.valueOf(pod.getMetadata().getNamespace())))
                .filter(Objects::nonNull);
    }

    /** The volume that a VolumeAttachment names: a PersistentVolume, or one that a pod defines. */
    private static String volumeOf(V1VolumeAttachment attachment) {
        V1VolumeAttachmentSource source = attachment.getSpec().getSource();
        return source.getPersistentVolumeName() != null
                ? source.getPersistentVolumeName()
                : isDefinedByPod(source) ? Attachable.of(source.getInlineVolumeSpec()).name() : "";
    }

    private static boolean isDefinedByPod(V1VolumeAttachmentSource source) {
        return source.getInlineVolumeSpec() != null && source.getInlineVolumeSpec().getCsi() != null;
    }

    private static Stream<ObjectKey> nodeKeys(V1Pod pod) {
        return nodes(pod).stream().map(ObjectKey::cluster);
    }

    private Stream<ObjectKey> nodesUsing(ObjectKey claim) {
        return podsOfClaims.using(claim).stream().flatMap(AttachDetachController::nodeKeys);
    }

    private Stream<ObjectKey> nodesUsing(@Nullable V1PersistentVolume volume) {
        return volume == null || volume.getSpec().getClaimRef() == null
                ? Stream.empty()
                : nodesUsing(Volumes.claimKey(volume.getSpec().getClaimRef()));
    }

    private void rememberVolumes(Change<V1Node> change) {
        String name = String.valueOf(change.object().getMetadata().getName());
        if (change.isDeletion()) {
            goneNodes.put(name, inUse(change.object()));
        } else if (change.isAddition()) {
            goneNodes.remove(name);
        }
    }

    private void answerFor(Change<V1VolumeAttachment> change) {
        ObjectKey key = ObjectKey.of(change.object());
        made.remove(key);
        if (change.initial()) {
            own.add(key);
        } else if (change.isDeletion()) {
            own.remove(key);
        }
    }

    /** The node of a VolumeAttachment, and the other nodes that may wait for its volume. */
    private Stream<ObjectKey> nodesConcernedBy(V1VolumeAttachment attachment) {
        String volume = volumeOf(attachment);
        return Stream.of(Stream.of(ObjectKey.cluster(attachment.getSpec().getNodeName())),
                pods.getIndexer().byIndex(BY_VOLUME, volume).stream().flatMap(AttachDetachController::nodeKeys),
                nodesUsing(volumes.get(ObjectKey.cluster(volume)))).flatMap(keys -> keys);
    }

    @Override
    public ResourceType syncs() {
        return ResourceType.NODES;
    }

    /** The node of a VolumeAttachment writes it. */
    @Override
    protected @Nullable ObjectKey keyOf(String groupResource, ObjectKey object) {
        if (syncs().groupResource().equals(groupResource)) {
            return nodes.get(object) == null ? null : object;
        }
        V1VolumeAttachment attachment = ATTACHMENTS.groupResource().equals(groupResource)
                ? attachments.get(object)
                : null;
        return attachment == null ? null : ObjectKey.cluster(attachment.getSpec().getNodeName());
    }

    @Override
    protected Result sync(ObjectKey key, SyncRun run) {
        run.note(this::adopt);
        NodeAttachments view = view(key.name(), run);
        Decision decision = AttachDecisions.decide(view);
        Outcome outcome = run.execute(decision.actions());
        run.note(() -> remember(key, view, decision, outcome));
        run.effect(() -> remember(outcome));
        decision.forced().forEach(reason -> run.count(FORCED, 1, reason));
        if (outcome.failed() instanceof Action.Create create && outcome.error() != null) {
            tell(key, view, create, outcome.error(), run);
        }
        if (!outcome.succeeded()) {
            return outcome.toResult();
        }
        return decision.again() ? Result.requeue() : later(key, view, decision, run);
    }

    /**
     * The memory after a failed write. The Events of the decision come after its writes, so the next decision needs to
     * know what they are about. A volume is unwanted since the first decision that says so.
     */
    private Map<String, AttachState> afterFailure(ObjectKey key, Decision decision) {
        Map<String, AttachState> kept = new LinkedHashMap<>(attempts.getOrDefault(key.name(), Map.of()));
        decision.attempts().forEach((volume, attempt) -> {
            if (attempt.unwantedSince() != null) {
                kept.put(volume, attempt);
            }
        });
        return kept;
    }

    /** Leaves the VolumeAttachments to others whose volume or driver is none of this controller at its start. */
    private void adopt() {
        if (!adopted) {
            own.removeIf(key -> {
                V1VolumeAttachment attachment = attachments.get(key);
                return attachment == null || !isAttachable(attachment);
            });
            adopted = true;
        }
    }

    private boolean isAttachable(V1VolumeAttachment attachment) {
        V1PersistentVolume volume = volumes.get(ObjectKey.cluster(volumeOf(attachment)));
        return volume != null && ifAttached(Attachable.of(volume)) != null;
    }

    /** Whether this controller answers for a VolumeAttachment. A plan may ask before the first sync has chosen. */
    private boolean isOurs(V1VolumeAttachment attachment) {
        return own.contains(ObjectKey.of(attachment)) && (adopted || isAttachable(attachment));
    }

    private void remember(ObjectKey key, NodeAttachments view, Decision decision, Outcome outcome) {
        attempts.put(key.name(), outcome.succeeded() ? decision.attempts() : afterFailure(key, decision));
        if (view.verifies() && outcome.succeeded()) {
            verified.put(key.name(), period(view.now()));
        }
    }

    private void remember(Outcome outcome) {
        outcome.written().stream().filter(V1VolumeAttachment.class::isInstance).map(V1VolumeAttachment.class::cast)
                .forEach(attachment -> {
                    own.add(ObjectKey.of(attachment));
                    made.put(ObjectKey.of(attachment), attachment);
                });
    }

    /** Tells the pods of a volume whose VolumeAttachment could not be created. */
    private static void tell(ObjectKey key, NodeAttachments view, Action.Create create, KubeApiException error,
            SyncRun run) {
        view.wanted().stream()
                .filter(want -> want.volume().csi() != null
                        && want.volume().csi().attachment(key.name()).equals(create.target().name()))
                .forEach(want -> run.execute(AttachDecisions.failures(want.volume(),
                        want.pods(), "kubernetes.io/csi: attacher.Attach failed: " + error.statusMessage())));
    }

    /** The next look: at the time of the decision, and when the attached volumes are compared again. */
    private Result later(ObjectKey key, NodeAttachments view, Decision decision, SyncRun run) {
        Instant next = decision.next();
        if (verifies() && !view.reported().isEmpty()) {
            long last = Objects.requireNonNullElseGet(verified.get(key.name()), () -> period(view.now()));
            run.note(() -> verified.putIfAbsent(key.name(), last));
            Instant comparison = start.plus(options.reconcileSyncPeriod().multipliedBy(last + 1));
            next = next == null || comparison.isBefore(next) ? comparison : next;
        }
        if (view.node() == null && view.wanted().isEmpty() && decision.attempts().isEmpty()) {
            run.note(() -> {
                attempts.remove(key.name());
                verified.remove(key.name());
                goneNodes.remove(key.name());
                managed.remove(key.name());
            });
            run.forget();
        }
        return next == null ? Result.done() : Result.requeueAfter(positive(Duration.between(view.now(), next)));
    }

    private static Duration positive(Duration wait) {
        return wait.isPositive() ? wait : Duration.ofMillis(1);
    }

    /** The number of a comparison period since the start. */
    private long period(Instant now) {
        return Duration.between(start, now).dividedBy(options.reconcileSyncPeriod());
    }

    private boolean verifies() {
        return !options.disableReconcileSync()
                && options.reconcileSyncPeriod().compareTo(Duration.ofSeconds(1)) >= 0;
    }

    // ---- the view

    private NodeAttachments view(String name, SyncRun run) {
        V1Node node = nodes.get(ObjectKey.cluster(name));
        boolean annotated = node != null && Volumes.isAnnotated(node, MANAGED);
        if (annotated) {
            run.note(() -> managed.add(name));
        }
        Map<String, Wanted> wanted = annotated || managed.contains(name) ? wanted(name) : Map.of();
        Map<Attachable, V1VolumeAttachment> held = held(name, node, wanted, run);
        Instant now = clock.now();
        Long last = verified.get(name);
        return new NodeAttachments(name, node, inUse(name, node, wanted, held), List.copyOf(wanted.values()), held,
                attempts.getOrDefault(name, Map.of()),
                verifies() && last != null && period(now) > last,
                !options.disableForceDetachOnTimeout(), now);
    }

    /**
     * The volumes that a kubelet uses. They are read from the server before a volume is detached: the kubelet may have
     * begun to use the volume. A CSI volume is detached after the node's status shows its removal, any other volume by
     * that removal.
     */
    private @Nullable Set<String> inUse(String name, @Nullable V1Node node, Map<String, Wanted> wanted,
            Map<Attachable, V1VolumeAttachment> held) {
        if (node == null) {
            return goneNodes.get(name);
        }
        Set<String> reported = new HashSet<>();
        if (node.getStatus() != null && node.getStatus().getVolumesAttached() != null) {
            node.getStatus().getVolumesAttached().stream().map(V1AttachedVolume::getName).forEach(reported::add);
        }
        Set<String> cached = inUse(node);
        boolean detaches = held.entrySet().stream().anyMatch(entry -> !wanted.containsKey(entry.getKey().name())
                && !reported.contains(entry.getKey().name())
                && entry.getValue().getMetadata().getDeletionTimestamp() == null)
                || reported.stream().anyMatch(volume -> !wanted.containsKey(volume) && !cached.contains(volume)
                        && Attachable.reported(volume).csi() == null);
        if (!detaches) {
            return cached;
        }
        return liveNodes.find(ObjectKey.cluster(name)).map(AttachDetachController::inUse).orElse(Set.of());
    }

    private static Set<String> inUse(V1Node node) {
        return node.getStatus() == null || node.getStatus().getVolumesInUse() == null
                ? Set.of()
                : Set.copyOf(node.getStatus().getVolumesInUse());
    }

    private Map<String, Wanted> wanted(String node) {
        Map<Attachable, List<V1Pod>> users = users(node);
        Map<String, Wanted> wanted = new LinkedHashMap<>();
        users.forEach((volume, its) -> {
            List<V1VolumeAttachment> others = volume.exclusive() && volume.csi() != null
                    ? others(volume.csi(), node)
                    : List.of();
            List<String> holders = others.stream().filter(AttachDetachController::isAttached)
                    .map(other -> other.getSpec().getNodeName()).distinct().toList();
            boolean busy = others.stream().anyMatch(other -> !isAttached(other)
                    && (other.getStatus() == null || other.getStatus().getAttachError() == null));
            List<ObjectKey> otherPods = holders.stream().flatMap(holder -> users(holder).entrySet().stream())
                    .filter(entry -> entry.getKey().name().equals(volume.name()))
                    .flatMap(entry -> entry.getValue().stream()).map(ObjectKey::of).toList();
            wanted.put(volume.name(), new Wanted(volume, its, holders, otherPods, busy));
        });
        return wanted;
    }

    private static boolean isAttached(V1VolumeAttachment attachment) {
        return attachment.getStatus() != null && Boolean.TRUE.equals(attachment.getStatus().getAttached());
    }

    /** The VolumeAttachments of a volume for other nodes. */
    private List<V1VolumeAttachment> others(Attachable.Csi csi, String node) {
        String volume = csi.source();
        return Stream.concat(attachments.getIndexer().byIndex(BY_VOLUME, volume).stream(),
                made.values().stream().filter(attachment -> volumeOf(attachment).equals(volume)))
                .filter(attachment -> !attachment.getSpec().getNodeName().equals(node)).toList();
    }

    /** The volumes that pods of a node want, with these pods. */
    private Map<Attachable, List<V1Pod>> users(String node) {
        Map<Attachable, List<V1Pod>> users = new LinkedHashMap<>();
        // Pods may define one volume by several names or for several uses.
        Map<String, Attachable> first = new HashMap<>();
        for (V1Pod pod : pods.getIndexer().byIndex(BY_NODE, node)) {
            if (!isTerminated(pod)) {
                Objects.requireNonNull(pod.getSpec().getVolumes()).stream()
                        .map(volume -> attachable(pod, volume)).filter(Objects::nonNull)
                        .map(volume -> first.computeIfAbsent(volume.name(), name -> volume))
                        .forEach(volume -> users.computeIfAbsent(volume, its -> new ArrayList<>()).add(pod));
            }
        }
        return users;
    }

    /** Whether a pod uses no volume any more: it has ended, or it is deleted and none of its containers runs. */
    private static boolean isTerminated(V1Pod pod) {
        return Pods.isFinished(pod) || Pods.isDeleting(pod)
                && (pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
                        || pod.getStatus().getContainerStatuses().stream().allMatch(container -> container
                                .getState() != null
                                && (container.getState().getTerminated() != null
                                        || container.getState().getWaiting() != null)));
    }

    private @Nullable Attachable attachable(V1Pod pod, V1Volume volume) {
        String name = Volumes.claimOf(pod, volume);
        String namespace = String.valueOf(pod.getMetadata().getNamespace());
        if (name == null) {
            return ifAttached(Attachable.of(volume, namespace));
        }
        V1PersistentVolumeClaim claim = claims.get(ObjectKey.of(namespace, name));
        if (claim == null || claim.getStatus() == null || !"Bound".equals(claim.getStatus().getPhase())
                || volume.getEphemeral() != null && Volumes.whyNotFor(pod, claim) != null) {
            return null;
        }
        V1PersistentVolume its = volumes.get(ObjectKey.cluster(String.valueOf(claim.getSpec().getVolumeName())));
        if (its == null || its.getSpec().getClaimRef() == null
                || !String.valueOf(claim.getMetadata().getUid()).equals(its.getSpec().getClaimRef().getUid())) {
            return null;
        }
        return ifAttached(Attachable.of(its));
    }

    /** A volume, or null if its driver attaches none. */
    private @Nullable Attachable ifAttached(@Nullable Attachable attachable) {
        return attachable == null || attachable.csi() != null && isNeverAttached(attachable.csi().driver())
                ? null
                : attachable;
    }

    private boolean isNeverAttached(String driver) {
        V1CSIDriver known = drivers.get(ObjectKey.cluster(driver));
        return known != null && Boolean.FALSE.equals(known.getSpec().getAttachRequired());
    }

    /** The VolumeAttachments for a node that are wanted, reported, or otherwise this controller's. */
    private Map<Attachable, V1VolumeAttachment> held(String name, @Nullable V1Node node, Map<String, Wanted> wanted,
            SyncRun run) {
        Stream<Attachable> named = Stream.concat(wanted.values().stream().map(Wanted::volume),
                node == null || node.getStatus() == null
                        ? Stream.of()
                        : orEmpty(node.getStatus().getVolumesAttached()).stream()
                                .map(volume -> Attachable.reported(volume.getName())));
        Set<ObjectKey> claimed = named.filter(volume -> volume.csi() != null)
                .map(volume -> ObjectKey.cluster(volume.csi().attachment(name)))
                .filter(key -> attachment(key) != null).collect(Collectors.toSet());
        run.note(() -> own.addAll(claimed));
        Map<Attachable, V1VolumeAttachment> held = new LinkedHashMap<>();
        Stream.concat(attachments.getIndexer().byIndex(BY_NODE, name).stream(),
                made.values().stream().filter(attachment -> name.equals(attachment.getSpec().getNodeName())))
                .filter(attachment -> claimed.contains(ObjectKey.of(attachment)) || isOurs(attachment))
                .forEach(attachment -> {
                    Attachable attachable = attachable(attachment);
                    if (attachable != null && attachable.csi() != null) {
                        held.put(attachable, Objects.requireNonNullElse(attachment(ObjectKey.of(attachment)),
                                attachment));
                    }
                });
        return held;
    }

    private @Nullable Attachable attachable(V1VolumeAttachment attachment) {
        V1VolumeAttachmentSource source = attachment.getSpec().getSource();
        if (isDefinedByPod(source)) {
            return Attachable.of(source.getInlineVolumeSpec());
        }
        V1PersistentVolume volume = volumes.get(ObjectKey.cluster(volumeOf(attachment)));
        return volume == null ? null : Attachable.of(volume);
    }

    private @Nullable V1VolumeAttachment attachment(ObjectKey key) {
        V1VolumeAttachment cached = attachments.get(key);
        return cached == null ? made.get(key) : cached;
    }
}
