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
import dev.wheelhouse.apiserver.auth.NodeRule;
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
 * Limits what nodes write to their own Node, Lease, CSINode and ResourceSlices, and to the pods that are bound to them,
 * by the rows of {@code node-restriction.tsv} (upstream: {@code plugin/pkg/admission/noderestriction}). Thread safe.
 */
record NodeRestriction(ObjectStore store, Authorizer authorizer) {
    private static final Set<String> SIGNERS_OF_NODES = Set.of("kubernetes.io/kubelet-serving",
            "kubernetes.io/kube-apiserver-client-kubelet");

    /** The rows, which are read when the first node writes. */
    private static final class Rules {
        static final List<NodeRule> ALL = NodeRule.read(NodeRestriction.class, "node-restriction.tsv");
    }

    /** @throws dev.wheelhouse.apiserver.error.StatusException 403, 404 if the user is a node that may not do it */
    void check(Attributes asked) {
        String node = asked.user().node();
        if (node == null) {
            return;
        }
        if (node.isEmpty()) {
            throw Errors.forbidden(asked.type(), asked.name(),
                    "could not determine node from user \"" + asked.user().name() + "\"");
        }
        ObjectNode old = asked.old();
        Write write = new Write(this, node, asked, asked.subject(), old == null ? Json.object() : old);
        for (NodeRule rule : Rules.ALL) {
            if (rule.isAbout(asked.type().groupResource(), asked.operation(), asked.target().subresource())
                    && !write.holds(rule.condition())) {
                throw Errors.forbidden(asked.type(), asked.name(), rule.decision(write::value));
            }
        }
    }

    private JsonNode spec(String resource, String namespace, String name) {
        StoredObject object = name.isEmpty() ? null : store.get(resource, namespace, name);
        return object == null ? Json.object() : object.tree().path("spec");
    }

    /**
     * A write of a node.
     *
     * @param object the new state, or what is sent; for a deletion the present state
     * @param old empty if there is none
     */
    private record Write(NodeRestriction rules, String node, Attributes asked, ObjectNode object, ObjectNode old) {
        boolean holds(String condition) {
            JsonNode owner = Meta.of(object).path("ownerReferences").path(0);
            JsonNode spec = object.path("spec");
            JsonNode bound = spec.path("boundObjectRef");
            return switch (condition) {
                case "status-or-eviction" -> Set.of("status", "eviction").contains(value("subresource"));
                case "bound" -> isOf(object);
                case "bound-before" -> isOf(old);
                case "mirror" -> PodValidation.isMirror(object);
                case "one-owner" -> Meta.of(object).path("ownerReferences").size() < 2;
                case "owned-by-node" -> Json.text(owner, "apiVersion").equals("v1")
                        && Json.text(owner, "kind").equals("Node") && Json.text(owner, "name").equals(node);
                case "controlled" -> owner.path("controller").asBoolean(false);
                case "not-blocking" -> !owner.path("blockOwnerDeletion").asBoolean(false);
                case "owner-uid" -> value("owner-uid").equals(value("node-uid"));
                case "no-references" -> PodReferences.of(object).isEmpty();
                case "evicts-own" -> isOf(pod(asked.target().name()));
                case "own-name" -> asked.name().equals(node);
                case "same-or-no-config" -> spec.path("configSource").isMissingNode() || isSame("spec.configSource");
                case "labels" -> forbiddenLabels().isEmpty();
                case "capacity-only" -> JsonValues.same(withoutCapacity(object), withoutCapacity(old));
                case "of-pod" -> Json.text(bound, "apiVersion").equals("v1") && Json.text(bound, "kind").equals("Pod")
                        && !Json.text(bound, "name").isEmpty();
                case "of-uid" -> !value("uid").isEmpty();
                case "same-uid" -> Json.text(pod(Json.text(bound, "name")), "metadata", "uid").equals(value("uid"));
                case "of-own-pod" -> isOf(pod(Json.text(bound, "name")));
                case "one-audience" -> spec.path("audiences").size() < 2;
                case "audience" -> hasAudience(pod(Json.text(bound, "name")), value("audience"));
                case "lease-namespace" -> asked.target().namespace().equals("kube-node-lease");
                case "own-subject" -> !SIGNERS_OF_NODES.contains(Json.text(spec, "signerName"))
                        || subject(Json.text(spec, "request")).equals("system:node:" + node);
                default -> condition.startsWith("same ") && isSame(condition.substring("same ".length()));
            };
        }

        /** A value in the reason of a refusal. */
        String value(String name) {
            return switch (name) {
                case "name" -> asked.name();
                case "user" -> asked.user().name();
                case "operation" -> asked.operation();
                case "subresource" -> asked.target().subresource();
                case "owner-uid" -> Json.text(Meta.of(object).path("ownerReferences").path(0), "uid");
                case "node-uid" -> {
                    StoredObject own = rules.store.get("nodes", "", node);
                    yield own == null ? "" : own.uid();
                }
                case "reference" -> PodReferences.of(object).getFirst().resource().replaceFirst("\\..*", "");
                case "labels" -> String.join(", ", forbiddenLabels());
                case "uid" -> Json.text(object, "spec", "boundObjectRef", "uid");
                case "audience" -> object.path("spec").path("audiences").path(0).asString("");
                default -> node;
            };
        }

        private boolean isOf(JsonNode written) {
            return Json.text(written, "spec", "nodeName").equals(node);
        }

        private ObjectNode pod(String name) {
            StoredObject pod = rules.store.get("pods", asked.target().namespace(), name);
            if (pod == null) {
                throw Errors.notFound(ResourceType.PODS, name);
            }
            return pod.tree();
        }

        /** Whether a field does not change; an empty one counts as none. */
        private boolean isSame(String path) {
            JsonNode now = Json.at(object, path.split("\\.", -1));
            JsonNode before = Json.at(old, path.split("\\.", -1));
            return JsonValues.same(now == null || now.isEmpty() ? null : now,
                    before == null || before.isEmpty() ? null : before);
        }

        private Set<String> forbiddenLabels() {
            JsonNode now = Meta.of(object).path("labels");
            JsonNode before = Meta.of(old).path("labels");
            Set<String> forbidden = new TreeSet<>(now.propertyNames());
            forbidden.addAll(before.propertyNames());
            forbidden.removeIf(label -> now.path(label).equals(before.path(label)) || NodeLabels.mayBeSetByNode(label));
            return forbidden;
        }

        private static ObjectNode withoutCapacity(ObjectNode claim) {
            ObjectNode rest = claim.deepCopy();
            rest.remove(List.of("kind", "apiVersion"));
            Meta.of(rest).remove(List.of("resourceVersion", "managedFields"));
            Json.child(rest, "status").remove(List.of("capacity", "conditions", "allocatedResourceStatuses",
                    "allocatedResources"));
            return rest;
        }

        /** Whether a volume of the pod has a token for the audience, or its CSI driver, or the node has the right. */
        private boolean hasAudience(ObjectNode pod, String audience) {
            return pod.path("spec").path("volumes").valueStream()
                    .flatMap(volume -> Stream.concat(volume.path("projected").path("sources").valueStream()
                            .map(source -> source.path("serviceAccountToken")).filter(JsonNode::isObject),
                            rules.spec("csidrivers.storage.k8s.io", "", driver(pod, volume)).path("tokenRequests")
                                    .valueStream()))
                    .anyMatch(token -> Json.text(token, "audience").equals(audience))
                    || rules.authorizer.authorize(asked.user(),
                            RequestInfo.ofResource("request-serviceaccounts-token-audience", "", audience, "",
                                    asked.target().namespace(), asked.target().name()))
                            .allowed();
        }

        /** The CSI driver of a volume, or of the volume of its claim; empty if there is none. */
        private String driver(ObjectNode pod, JsonNode volume) {
            String own = Json.text(volume, "csi", "driver");
            String claim = volume.path("ephemeral").isObject()
                    ? Meta.name(pod) + "-" + Json.text(volume, "name")
                    : Json.text(volume, "persistentVolumeClaim", "claimName");
            return own.isEmpty()
                    ? Json.text(rules.spec("persistentvolumes", "", Json.text(
                            rules.spec("persistentvolumeclaims", Meta.namespace(pod), claim), "volumeName")),
                            "csi", "driver")
                    : own;
        }

        private static String subject(String request) {
            try {
                return CertificateRequest.parse(Base64.getDecoder().decode(request)).commonName();
            } catch (IllegalArgumentException e) {
                return "";
            }
        }
    }
}
