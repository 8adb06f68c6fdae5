package dev.wheelhouse.controllers.attach;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1AttachedVolume;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1VolumeAttachment;
import io.kubernetes.client.openapi.models.V1VolumeAttachmentSource;
import io.kubernetes.client.openapi.models.V1VolumeAttachmentSpec;
import io.kubernetes.client.openapi.models.V1VolumeAttachmentStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controllers.pods.Nodes;

/**
 * Decides which volumes a node loses and gets (upstream: {@code pkg/controller/volume/attachdetach/reconciler},
 * {@code pkg/volume/csi/csi_attacher.go}). The node's status names a volume from the success of the attachment until
 * the detachment begins. Pure functions.
 */
final class AttachDecisions {
    /** The longest wait for the unmount of a volume, after which it is detached from a node that is not ready. */
    static final Duration UNMOUNT = Duration.ofMinutes(6);
    /** The longest wait for a CSI driver. */
    static final Duration DRIVER = Duration.ofMinutes(2);

    private final NodeAttachments view;
    private final Map<String, AttachState> attempts = new LinkedHashMap<>();
    private final List<Action> actions = new ArrayList<>();
    private final List<Action> events = new ArrayList<>();
    private final Set<String> reported = new LinkedHashSet<>();
    private final List<String> forced = new ArrayList<>();
    private boolean withdraws;
    private @Nullable Instant next;

    /**
     * A decision.
     *
     * @param attempts the new memory
     * @param again whether to decide again when the caches show the writes
     * @param next the time of the next look; null if only changes matter
     * @param forced a reason for each detachment that does not wait for the kubelet
     */
    record Decision(List<Action> actions, Map<String, AttachState> attempts, boolean again, @Nullable Instant next,
            List<String> forced) {}

    private AttachDecisions(NodeAttachments view) {
        this.view = view;
        view.reported().forEach(volume -> reported.add(volume.getName()));
    }

    static Decision decide(NodeAttachments view) {
        AttachDecisions decisions = new AttachDecisions(view);
        Set<String> wanted = view.wanted().stream().map(want -> want.volume().name()).collect(Collectors.toSet());
        decisions.detach(wanted);
        if (decisions.withdraws) {
            decisions.report();
        } else {
            view.wanted().forEach(decisions::attach);
            decisions.report();
        }
        decisions.actions.addAll(decisions.events);
        return new Decision(List.copyOf(decisions.actions), Map.copyOf(decisions.attempts), decisions.withdraws,
                decisions.next, List.copyOf(decisions.forced));
    }

    // ---- detaching

    private void detach(Set<String> wanted) {
        Map<String, Attachable> held = new LinkedHashMap<>();
        reported.forEach(name -> held.put(name, Attachable.reported(name)));
        view.attachments().keySet().forEach(volume -> held.put(volume.name(), volume));
        held.values().stream().filter(volume -> !wanted.contains(volume.name())).forEach(this::detach);
        if (withdraws) {
            view.wanted().forEach(want -> remember(want.volume(), attempt(want.volume())));
        }
    }

    private void detach(Attachable volume) {
        Instant awaited = awaitedUntil(volume);
        if (awaited != null) {
            remember(volume, attempt(volume));
            lookAgain(awaited);
            return;
        }
        reportEnd(volume, attempt(volume));
        AttachState attempt = attempt(volume).unwanted(view.now());
        remember(volume, attempt);
        Instant limit = Objects.requireNonNull(attempt.unwantedSince()).plus(UNMOUNT);
        boolean late = view.forces() && view.now().isAfter(limit);
        V1Node node = view.node();
        boolean outOfService = node != null && Nodes.isOutOfService(node);
        boolean mounted = view.inUse() == null || view.inUse().contains(volume.name());
        if (mounted && !(late && (node == null || !Nodes.isReady(node))) && !outOfService) {
            if (isAttached(view.attachment(volume))) {
                // The kubelet began to use the volume after its removal from the node's status.
                reported.add(volume.name());
            }
            if (!late && view.forces()) {
                lookAgain(limit.plusMillis(1));
            }
            return;
        }
        V1VolumeAttachment attachment = view.attachment(volume);
        if (attachment != null && attachment.getMetadata().getDeletionTimestamp() != null) {
            attachment = null;
        }
        boolean withdrawn = reported.remove(volume.name());
        withdraws |= withdrawn;
        if (attachment != null && !withdrawn) {
            actions.add(new Action.Delete(AttachDetachController.ATTACHMENTS, ObjectKey.of(attachment),
                    Deletion.ofUid(attachment.getMetadata().getUid()),
                    "no pod on " + view.name() + " uses its volume"));
        }
        // A volume without a VolumeAttachment is detached when the node's status does not name it any more.
        if (withdrawn == (attachment == null) && (late || outOfService)) {
            forced.add(late ? "timeout" : "out-of-service");
        }
    }

    /** Tells the pods for which a volume was asked, and that want it no more, what the driver has done. */
    private void reportEnd(Attachable volume, AttachState attempt) {
        V1VolumeAttachment attachment = view.attachment(volume);
        if (attempt.began() != null && attachment != null && attachment.getMetadata().getDeletionTimestamp() == null) {
            events.addAll(isAttached(attachment)
                    ? successes(volume, attempt.pods())
                    : failures(volume, attempt.pods(), problem(Objects.requireNonNull(volume.csi()), attachment)));
        }
    }

    /** The end of the wait for a driver that attaches the volume, because no request is withdrawn before; else null. */
    private @Nullable Instant awaitedUntil(Attachable volume) {
        V1VolumeAttachment attachment = view.attachment(volume);
        Instant began = attempt(volume).began();
        if (began == null || attachment == null || attachment.getMetadata().getDeletionTimestamp() != null
                || isAttached(attachment)
                || attachment.getStatus() != null && attachment.getStatus().getAttachError() != null) {
            return null;
        }
        Instant end = began.plus(DRIVER);
        return view.now().isBefore(end) ? end : null;
    }

    // ---- attaching

    private void attach(NodeAttachments.Wanted want) {
        Attachable volume = want.volume();
        V1VolumeAttachment attachment = view.attachment(volume);
        AttachState attempt = attempt(volume);
        if (reported.contains(volume.name())) {
            if (attempt.began() != null && isAttached(attachment)) {
                // The answer was lost when the status was written, and the Events come after it.
                events.addAll(successes(volume, attempt.pods()));
            }
            if (!view.verifies() || volume.csi() == null || isAttached(attachment)) {
                return;
            }
            reported.remove(volume.name());
        }
        if (attempt.unwantedSince() != null) {
            attempt = AttachState.NONE;
        }
        if (volume.exclusive() && (want.busy() || !want.holders().isEmpty())) {
            if (!want.busy() && !attempt.toldOfOtherNode()) {
                want.pods().forEach(pod -> events.add(multiAttachError(volume, pod, want.otherPods())));
                attempt = attempt.told();
            }
            remember(volume, attempt);
            return;
        }
        remember(volume, view.node() == null ? attempt : attach(want, attempt, attachment));
    }

    private AttachState attach(NodeAttachments.Wanted want, AttachState attempt,
            @Nullable V1VolumeAttachment attachment) {
        Attachable volume = want.volume();
        if (attempt.notBefore() != null && view.now().isBefore(attempt.notBefore())) {
            lookAgain(attempt.notBefore());
            return attempt;
        }
        List<V1Pod> pods = attempt.began() == null ? want.pods() : attempt.pods();
        if (volume.csi() == null || isAttached(attachment)) {
            reported.add(volume.name());
            events.addAll(successes(volume, pods));
            return AttachState.NONE;
        }
        if (attachment == null) {
            actions.add(new Action.Create(AttachDetachController.ATTACHMENTS, attachment(volume.csi()),
                    "a pod on " + view.name() + " uses the volume"));
            lookAgain(view.now().plus(DRIVER));
            return attempt.begun(view.now(), want.pods());
        }
        V1VolumeAttachmentStatus status = attachment.getStatus();
        if (attachment.getMetadata().getDeletionTimestamp() != null) {
            return attempt;
        }
        Instant began = attempt.began() == null ? view.now() : attempt.began();
        if (status != null && status.getAttachError() != null || !view.now().isBefore(began.plus(DRIVER))) {
            events.addAll(failures(volume, pods, problem(volume.csi(), attachment)));
            AttachState failed = attempt.failed(view.now());
            lookAgain(failed.notBefore());
            return failed;
        }
        lookAgain(began.plus(DRIVER));
        return attempt.begun(began, pods);
    }

    private static boolean isAttached(@Nullable V1VolumeAttachment attachment) {
        return attachment != null && attachment.getMetadata().getDeletionTimestamp() == null
                && attachment.getStatus() != null && Boolean.TRUE.equals(attachment.getStatus().getAttached());
    }

    /** Why a driver has not attached a volume: it says so, or it has not answered in time. */
    private static String problem(Attachable.Csi csi, V1VolumeAttachment attachment) {
        V1VolumeAttachmentStatus status = attachment.getStatus();
        return status != null && status.getAttachError() != null
                ? String.valueOf(status.getAttachError().getMessage())
                : "timed out waiting for external-attacher of " + csi.driver() + " CSI driver to attach volume "
                        + csi.handle();
    }

    private static List<Action> successes(Attachable volume, List<V1Pod> pods) {
        return pods.stream().map(pod -> event(pod, "Normal", "SuccessfulAttachVolume",
                "AttachVolume.Attach succeeded for volume \"" + volume.title() + "\" ")).toList();
    }

    /** The Events about a volume that cannot be attached. */
    static List<Action> failures(Attachable volume, List<V1Pod> pods, String message) {
        return pods.stream().map(pod -> event(pod, "Warning", "FailedAttachVolume",
                "AttachVolume.Attach failed for volume \"" + volume.title() + "\" : " + message)).toList();
    }

    private V1VolumeAttachment attachment(Attachable.Csi csi) {
        return new V1VolumeAttachment().metadata(new V1ObjectMeta().name(csi.attachment(view.name())))
                .spec(new V1VolumeAttachmentSpec().nodeName(view.name()).attacher(csi.driver())
                        .source(new V1VolumeAttachmentSource().persistentVolumeName(csi.volume())
                                .inlineVolumeSpec(csi.spec())));
    }

    /** Names the other pods to a pod, those of other namespaces by their number alone. */
    private static Action multiAttachError(Attachable volume, V1Pod pod, List<ObjectKey> others) {
        List<String> local = others.stream().filter(key -> key.namespace().equals(pod.getMetadata().getNamespace()))
                .map(ObjectKey::name).sorted().toList();
        int foreign = others.size() - local.size();
        String words = others.isEmpty()
                ? "Volume is already exclusively attached to one node and can't be attached to another"
                : local.isEmpty()
                        ? "Volume is already used by " + foreign + " pod(s) in different namespaces"
                        : "Volume is already used by pod(s) " + String.join(", ", local)
                                + (foreign == 0 ? "" : " and " + foreign + " pod(s) in different namespaces");
        return event(pod, "Warning", "FailedAttachVolume",
                "Multi-Attach error for volume \"" + volume.title() + "\" " + words);
    }

    // ---- both

    private AttachState attempt(Attachable volume) {
        return view.attempts().getOrDefault(volume.name(), AttachState.NONE);
    }

    private void remember(Attachable volume, AttachState attempt) {
        if (!attempt.equals(AttachState.NONE)) {
            attempts.put(volume.name(), attempt);
        }
    }

    private void lookAgain(@Nullable Instant time) {
        if (next == null || time != null && time.isBefore(next)) {
            next = time;
        }
    }

    /** Writes the names of the attached volumes into the node's status, if they have changed. */
    private void report() {
        List<String> before = view.reported().stream().map(V1AttachedVolume::getName).toList();
        if (view.node() == null || before.equals(List.copyOf(reported))) {
            return;
        }
        List<Map<String, String>> volumes = reported.stream()
                .map(name -> Map.of("name", name, "devicePath", devicePath(name))).toList();
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("volumesAttached", volumes.isEmpty() ? null : volumes);
        actions.add(new Action.Patch(ResourceType.NODES, ObjectKey.cluster(view.name()), "status", PatchType.MERGE,
                ModelJson.write(Map.of("metadata",
                        Map.of("uid", String.valueOf(view.node().getMetadata().getUid())), "status", status)),
                "its attached volumes have changed", Set.of(404),
                V1Node.class));
    }

    private String devicePath(String name) {
        return view.reported().stream().filter(volume -> volume.getName().equals(name))
                .map(V1AttachedVolume::getDevicePath).findFirst().orElse("");
    }

    private static Action event(V1Pod pod, String level, String reason, String message) {
        return new Action.Event(ResourceType.PODS, pod, level, reason, message);
    }
}
