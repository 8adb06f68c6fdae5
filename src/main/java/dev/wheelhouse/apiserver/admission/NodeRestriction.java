package dev.wheelhouse.apiserver.admission;

import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.JsonValues;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.facts.NodeLabels;
import dev.wheelhouse.facts.PodReferences;
import dev.wheelhouse.pki.CertificateRequest;

/**
 * Limits what nodes write to their own Node, Lease, CSINode and ResourceSlices, and to the pods that are bound to them
 * (upstream: {@code plugin/pkg/admission/noderestriction}). Thread safe.
 */
record NodeRestriction(ObjectStore store, Authorizer authorizer) {
    private static final String LEASES = "kube-node-lease";
    private static final Set<String> SIGNERS_OF_NODES = Set.of("kubernetes.io/kubelet-serving",
            "kubernetes.io/kube-apiserver-client-kubelet");
    /** @throws dev.wheelhouse.apiserver.error.StatusException 403, 404 if the user is a node that may not do it */
    void check(Attributes asked) {
        String node = asked.user().node();
        if (node != null) {
            String problem = node.isEmpty()
                    ? "could not determine node from user \"" + asked.user().name() + "\""
                    : problem(node, asked);
            if (!problem.isEmpty()) {
                throw Errors.forbidden(asked.type(), asked.name(), problem);
            }
        }
    }

    /** Why a node may not write so; empty if it may. */
    private String problem(String node, Attributes asked) {
        String operation = asked.operation();
        String subresource = asked.target().subresource();
        boolean create = operation.equals("CREATE");
        return switch (asked.type().groupResource()) {
            case "pods" -> switch (subresource) {
                case "" -> pod(node, asked);
                case "status" -> podStatus(node, asked.subject(), old(asked));
                case "eviction" -> isOf(node, pod(asked, asked.target().name()))
                        ? ""
                        : "node " + node + " can only evict pods with spec.nodeName set to itself";
                default -> "unexpected pod subresource \"" + subresource
                        + "\", only 'status' and 'eviction' are allowed";
            };
            case "nodes" -> node(node, asked);
            case "persistentvolumeclaims" -> !subresource.equals("status")
                    ? "may only update PVC status"
                    : JsonValues.same(withoutCapacity(asked.subject()), withoutCapacity(old(asked)))
                            ? ""
                            : "node \"" + node + "\" is not allowed to update fields other than status.quantity and "
                                    + "status.conditions";
            case "serviceaccounts" -> create && subresource.equals("token") ? token(node, asked) : "";
            case "podcertificaterequests.certificates.k8s.io" -> "PodCertificateRequest feature gate is disabled";
            case "leases.coordination.k8s.io" -> !asked.target().namespace().equals(LEASES)
                    ? "can only access leases in the \"" + LEASES + "\" system namespace"
                    : own(node, asked, "node lease");
            case "csinodes.storage.k8s.io" -> own(node, asked, "CSINode");
            case "resourceslices.resource.k8s.io" ->
                operation.equals("UPDATE") || Json.text(asked.subject(), "spec", "nodeName").equals(node)
                        ? ""
                        : "can only " + (create ? "create" : "delete")
                                + " ResourceSlice with the same NodeName as the requesting node";
            case "certificatesigningrequests.certificates.k8s.io" -> create ? request(node, asked.subject()) : "";
            default -> "";
        };
    }

    private static ObjectNode old(Attributes asked) {
        ObjectNode old = asked.old();
        return old == null ? Json.object() : old;
    }

    private static String own(String node, Attributes asked, String what) {
        return asked.name().equals(node)
                ? ""
                : "can only access " + what + " with the same name as the requesting node";
    }

    private ObjectNode pod(Attributes asked, String name) {
        StoredObject pod = store.get("pods", asked.target().namespace(), name);
        if (pod == null) {
            throw Errors.notFound(ResourceType.PODS, name);
        }
        return pod.tree();
    }

    private static boolean isOf(String node, JsonNode pod) {
        return Json.text(pod, "spec", "nodeName").equals(node);
    }

    private String pod(String node, Attributes asked) {
        return switch (asked.operation()) {
            case "CREATE" -> newPod(node, asked.subject());
            case "DELETE" -> isOf(node, old(asked))
                    ? ""
                    : "node \"" + node + "\" can only delete pods with spec.nodeName set to itself";
            default -> "unexpected operation \"" + asked.operation() + "\", node \"" + node
                    + "\" can only create and delete mirror pods";
        };
    }

    private String newPod(String node, ObjectNode pod) {
        String only = "node \"" + node + "\" can only create ";
        JsonNode owners = Meta.of(pod).path("ownerReferences");
        JsonNode owner = owners.path(0);
        StoredObject own = store.get("nodes", "", node);
        String uid = own == null ? "" : own.uid();
        return first(
                unless(PodValidation.isMirror(pod), "pod does not have \"kubernetes.io/config.mirror\" annotation, "
                        + only + "mirror pods"),
                unless(isOf(node, pod), only + "pods with spec.nodeName set to itself"),
                unless(owners.size() < 2, only + "pods with a single owner reference set to itself"),
                unless(Json.text(owner, "apiVersion").equals("v1") && Json.text(owner, "kind").equals("Node")
                        && Json.text(owner, "name").equals(node),
                        only + "pods with an owner reference set to itself"),
                unless(owner.path("controller").asBoolean(false),
                        only + "pods with a controller owner reference set to itself"),
                unless(!owner.path("blockOwnerDeletion").asBoolean(false),
                        "node \"" + node + "\" must not set blockOwnerDeletion on an owner reference"),
                unless(Json.text(owner, "uid").equals(uid),
                        "node " + node + " UID mismatch: expected " + Json.text(owner, "uid") + " got " + uid),
                PodReferences.of(pod).stream().findFirst().map(reference -> "node \"" + node
                        + "\" can not create pods that reference " + reference.resource().replaceFirst("\\..*", ""))
                        .orElse(""));
    }

    private static String podStatus(String node, ObjectNode pod, ObjectNode old) {
        String cannot = "node \"" + node + "\" cannot update ";
        return first(
                unless(isOf(node, old),
                        "node \"" + node + "\" can only update pod status for pods with spec.nodeName set to itself"),
                unless(same(pod, old, "metadata", "labels"), cannot + "labels through pod status"),
                unless(same(pod, old, "status", "resourceClaimStatuses"), cannot + "resource claim statues"),
                unless(same(pod, old, "status", "extendedResourceClaimStatus"),
                        cannot + "extended resource claim status"));
    }

    private static String unless(boolean fine, String problem) {
        return fine ? "" : problem;
    }

    private static String first(String... problems) {
        return Stream.of(problems).filter(problem -> !problem.isEmpty()).findFirst().orElse("");
    }

    /** Whether two objects have the same field; an empty one counts as none. */
    private static boolean same(JsonNode a, JsonNode b, String... path) {
        JsonNode one = Json.at(a, path);
        JsonNode other = Json.at(b, path);
        return JsonValues.same(one == null || one.isEmpty() ? null : one,
                other == null || other.isEmpty() ? null : other);
    }

    private static ObjectNode withoutCapacity(ObjectNode claim) {
        ObjectNode rest = claim.deepCopy();
        rest.remove(List.of("kind", "apiVersion"));
        Meta.of(rest).remove(List.of("resourceVersion", "managedFields"));
        Json.child(rest, "status").remove(List.of("capacity", "conditions", "allocatedResourceStatuses",
                "allocatedResources"));
        return rest;
    }

    private static String node(String node, Attributes asked) {
        ObjectNode wanted = asked.subject();
        ObjectNode old = old(asked);
        boolean create = asked.operation().equals("CREATE");
        JsonNode labels = Meta.of(wanted).path("labels");
        JsonNode before = Meta.of(old).path("labels");
        Set<String> refused = new TreeSet<>(labels.propertyNames());
        refused.addAll(before.propertyNames());
        refused.removeIf(label -> labels.path(label).equals(before.path(label)) || NodeLabels.mayBeSetByNode(label));
        String not = "node \"" + node + "\" is not allowed to ";
        return first(unless(asked.name().equals(node), not + "modify node \"" + asked.name() + "\""),
                unless(wanted.path("spec").path("configSource").isMissingNode()
                        || same(wanted, old, "spec", "configSource"),
                        not + (create
                                ? "create pods with a non-nil configSource"
                                : "update configSource to a new non-nil configSource")),
                unless(create || same(wanted, old, "spec", "taints"), not + "modify taints"),
                unless(create || same(wanted, old, "metadata", "ownerReferences"), not + "modify ownerReferences"),
                unless(refused.isEmpty(), (create
                        ? not + "set the following labels: "
                        : "is not allowed to modify labels: ") + String.join(", ", refused)));
    }

    private String token(String node, Attributes asked) {
        JsonNode spec = asked.subject().path("spec");
        JsonNode bound = spec.path("boundObjectRef");
        String uid = Json.text(bound, "uid");
        String form = first(
                unless(Json.text(bound, "apiVersion").equals("v1") && Json.text(bound, "kind").equals("Pod")
                        && !Json.text(bound, "name").isEmpty(), "node requested token not bound to a pod"),
                unless(!uid.isEmpty(), "node requested token with a pod binding without a uid"));
        if (!form.isEmpty()) {
            return form;
        }
        ObjectNode pod = pod(asked, Json.text(bound, "name"));
        List<String> audiences = Json.texts(spec.path("audiences"));
        String audience = audiences.isEmpty() ? "" : audiences.getFirst();
        return first(
                unless(Json.text(pod, "metadata", "uid").equals(uid),
                        "the UID in the bound object reference (" + uid + ") does not match the UID in record. The "
                                + "object might have been deleted and then recreated"),
                unless(isOf(node, pod), "node requested token bound to a pod scheduled on a different node"),
                unless(audiences.size() < 2, "node may only request 0 or 1 audiences"),
                unless(hasAudience(pod, audience) || authorizer.authorize(asked.user(), RequestInfo.ofResource(
                        "request-serviceaccounts-token-audience", "", audience, "", asked.target().namespace(),
                        asked.target().name())).allowed(),
                        "audience \"" + audience + "\" not found in pod spec volume, " + asked.user().name()
                                + " is not authorized to request tokens for this audience"));
    }

    /** Whether a volume of the pod has a token for the audience: a projected one, or one of its CSI driver. */
    private boolean hasAudience(ObjectNode pod, String audience) {
        return pod.path("spec").path("volumes").valueStream()
                .anyMatch(volume -> volume.path("projected").path("sources").valueStream()
                        .map(source -> source.path("serviceAccountToken"))
                        .anyMatch(token -> token.isObject() && Json.text(token, "audience").equals(audience))
                        || spec("csidrivers.storage.k8s.io", "", driver(pod, volume)).path("tokenRequests")
                                .valueStream().anyMatch(token -> Json.text(token, "audience").equals(audience)));
    }

    /** The CSI driver of a volume, or of the volume of its claim; empty if there is none. */
    private String driver(ObjectNode pod, JsonNode volume) {
        String own = Json.text(volume, "csi", "driver");
        String claim = volume.path("ephemeral").isObject()
                ? Meta.name(pod) + "-" + Json.text(volume, "name")
                : Json.text(volume, "persistentVolumeClaim", "claimName");
        return own.isEmpty()
                ? Json.text(spec("persistentvolumes", "",
                        Json.text(spec("persistentvolumeclaims", Meta.namespace(pod), claim), "volumeName")),
                        "csi", "driver")
                : own;
    }

    private JsonNode spec(String resource, String namespace, String name) {
        StoredObject object = name.isEmpty() ? null : store.get(resource, namespace, name);
        return object == null ? Json.object() : object.tree().path("spec");
    }

    private static String request(String node, ObjectNode request) {
        if (!SIGNERS_OF_NODES.contains(Json.text(request, "spec", "signerName"))) {
            return "";
        }
        try {
            byte[] pem = Base64.getDecoder().decode(Json.text(request, "spec", "request"));
            String user = "system:node:" + node;
            return CertificateRequest.parse(pem).commonName().equals(user)
                    ? ""
                    : "can only create a node CSR with CN=" + user;
        } catch (IllegalArgumentException e) {
            return "unable to parse csr: " + e.getMessage();
        }
    }
}
