package dev.wheelhouse.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.controllers.attach.AttachDetachController;
import dev.wheelhouse.controllers.volume.VolumeExpander;
import dev.wheelhouse.simulation.Environment.PodChange;

/**
 * Bound claims, and pods that use them on two nodes. The pods come and go, also to the other node before they are gone
 * from the first. The node of a pod plays the CSI driver: it attaches what it is asked to. Another claim may grow.
 */
final class AttachmentsWorkload extends Workload {
    private static final int COUNT = 2;
    private static final String ATTACHMENT = "volumeattachment";

    AttachmentsWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(AttachDetachController.NAME, VolumeExpander.NAME);
        creates(ATTACHMENT, "persistentvolumeclaim", "persistentvolume", "storageclass");
        // Attached volumes are compared with their requests once a minute.
        quietAfter(Duration.ofMinutes(2));
        for (int i = 0; i < COUNT; i++) {
            String node = name + "-node-" + i;
            String volume = name + "-v-" + i;
            steps.add(new Step("adds the node " + node + ", which leaves attaching to a controller", e -> {
                e.nodes().addFor(name, node);
                e.api().patch("node", node, """
                        {"metadata": {"annotations":
                         {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}}}""");
            }));
            steps.add(new Step("binds the claim " + volume, e -> bind(e.api(), volume, "", """
                    "csi": {"driver": "csi.example.com", "volumeHandle": "%s"}""".formatted(volume))));
        }
        steps.add(new Step("binds the claim " + name + "-grows, which may grow", e -> {
            e.api().create("storageclass", """
                    {"metadata": {"name": "%s"}, "provisioner": "kubernetes.io/aws-ebs", "allowVolumeExpansion":
                     true}""".formatted(name));
            bind(e.api(), name + "-grows", name, """
                    "awsElasticBlockStore": {"volumeID": "vol-1"}""");
        }));
        int count = 6 + random.nextInt(9);
        int growth = random.nextInt(2 * count);
        for (int i = 0; i < count; i++) {
            if (i == growth) {
                steps.add(new Step("lets the claim " + name + "-grows request more",
                        e -> e.api().patch("persistentvolumeclaim", name + "-grows",
                                "{\"spec\": {\"resources\": {\"requests\": {\"storage\": \"2Gi\"}}}}")));
            }
            String volume = name + "-v-" + random.nextInt(COUNT);
            String node = name + "-node-" + random.nextInt(COUNT);
            String pod = name + "-p-" + random.nextInt(COUNT + 1);
            steps.add(random.nextInt(5) < 2
                    ? Step.remove("pod", pod)
                    : Step.once("pod", pod, """
                            {"metadata": {"name": "%s", "labels": {"app": "%s"}}, "spec": {%s "containers": [{"name":
                             "app", "image": "app:v1"}], "volumes": [{"name": "data", "persistentVolumeClaim":
                             {"claimName": "%s"}}]}}""".formatted(pod, name, PodsWorkload.affinity(node), volume)));
        }
    }

    /** Does the work of a binder at once. */
    private static void bind(Api api, String volume, String storageClass, String source) {
        api.create("persistentvolumeclaim", """
                {"metadata": {"name": "%1$s", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec":
                 {"accessModes": ["ReadWriteOnce"], "volumeName": "%1$s", "storageClassName": "%2$s", "resources":
                 {"requests": {"storage": "1Gi"}}}}""".formatted(volume, storageClass));
        api.create("persistentvolume", """
                {"metadata": {"name": "%1$s"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes":
                 ["ReadWriteOnce"], "storageClassName": "%2$s", "claimRef": {"kind": "PersistentVolumeClaim",
                 "namespace": "%3$s", "name": "%1$s", "uid": "%4$s"}, %5$s}}""".formatted(volume, storageClass,
                Simulation.NAMESPACE,
                ObjectFields.text(api.get("persistentvolumeclaim", volume).path("metadata"), "uid"), source));
        api.patch("persistentvolumeclaim", volume + "/status", """
                {"status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}}""");
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new AttachmentsInvariants(truth), new ExpansionInvariants(truth));
    }

    private List<JsonNode> attachments(Api api) {
        return api.list(ATTACHMENT).stream()
                .filter(attachment -> volume(attachment).startsWith(name + "-")).toList();
    }

    private static String volume(JsonNode attachment) {
        return attachment.at("/spec/source/persistentVolumeName").asString("");
    }

    private static String node(JsonNode attachment) {
        return attachment.at("/spec/nodeName").asString("");
    }

    private static boolean isAttached(JsonNode attachment) {
        return attachment.at("/status/attached").asBoolean(false);
    }

    @Override
    public @Nullable PodChange next(JsonNode pod, Environment environment, boolean calm) {
        Api api = environment.api();
        for (JsonNode attachment : attachments(api)) {
            if (!isAttached(attachment) && node(attachment).equals(ObjectFields.text(pod.path("spec"), "nodeName"))) {
                api.patch(ATTACHMENT, ObjectFields.name(attachment) + "/status", "{\"status\": {\"attached\": true}}");
            }
        }
        return environment.nodes().nextOfService(pod, calm);
    }

    /**
     * {@inheritDoc} Each volume of a pod is at its node, or at that of another pod, and no other volume is anywhere.
     */
    @Override
    public boolean isSeen(Api api) {
        Set<String> wanted = new TreeSet<>();
        Set<String> volumes = new TreeSet<>();
        for (JsonNode pod : api.podsOf(name)) {
            if (ObjectFields.isDeleted(pod) || !pod.path("spec").has("nodeName")) {
                return false;
            }
            volumes.add(claim(pod));
            wanted.add(claim(pod) + " at " + ObjectFields.text(pod.path("spec"), "nodeName"));
        }
        List<String> attached = attachments(api).stream().filter(AttachmentsWorkload::isAttached)
                .map(a -> volume(a) + " at " + node(a)).toList();
        return attached.size() == attachments(api).size() && attached.size() == volumes.size()
                && wanted.containsAll(attached) && reported(api).equals(new TreeSet<>(attached));
    }

    private static String claim(JsonNode pod) {
        return pod.at("/spec/volumes/0/persistentVolumeClaim/claimName").asString("");
    }

    /** The volumes that the nodes report. */
    private Set<String> reported(Api api) {
        Set<String> reported = new TreeSet<>();
        for (JsonNode node : api.list("node")) {
            node.at("/status/volumesAttached").forEach(volume -> {
                String handle = volume.path("name").asString("").replaceAll(".*\\^", "");
                if (handle.startsWith(name + "-")) {
                    reported.add(handle + " at " + ObjectFields.name(node));
                }
            });
        }
        return reported;
    }

    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        attachments(api).forEach(a -> lines.put("volume " + volume(a),
                (isAttached(a) ? "attached to " : "asked for by ") + node(a)));
        reported(api).forEach(line -> lines.put("report " + line, "yes"));
        JsonNode grows = api.find("persistentvolumeclaim", name + "-grows");
        // While a late cache does not show its volume, a claim is lost and has no size, so that it is asked to grow.
        if (grows != null && grows.at("/spec/resources/requests/storage").asString("").equals("2Gi")) {
            lines.put("claim " + ObjectFields.name(grows), "asks " + ExpansionInvariants.resizer(grows));
        }
        api.podsOf(name).forEach(pod -> lines.put("pod " + ObjectFields.name(pod), ObjectFields.word(pod)));
        return lines;
    }
}
