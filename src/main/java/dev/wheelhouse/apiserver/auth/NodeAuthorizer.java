package dev.wheelhouse.apiserver.auth;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.store.FieldIndex;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.facts.PodReferences;

/**
 * Lets a node read what the pods that are bound to it name, and write its own objects (upstream:
 * {@code plugin/pkg/auth/authorizer/node}). The relations follow from the stored objects at the moment of the question.
 * It has no opinion about other users. Thread safe.
 */
final class NodeAuthorizer implements Authorizer {
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final String VOLUMES = "persistentvolumes";
    private static final String NODE_NAME = "spec.nodeName";
    /** The kinds of volumes whose Secret is in the namespace of the claim if they name no other. */
    private static final Set<String> IN_CLAIMS_NAMESPACE = Set.of("azureFile", "cephfs", "flexVolume", "rbd", "scaleIO",
            "iscsi");

    private final ObjectStore store;
    private final FieldIndex pods;
    /** The names in a version of a pod, as {@code secrets/name}. */
    private final Map<StoredObject, Set<String>> names = Collections.synchronizedMap(new WeakHashMap<>());

    NodeAuthorizer(ObjectStore store) {
        this.store = store;
        this.pods = new FieldIndex(store, "pods", NODE_NAME);
    }

    /** The rules of all nodes, which are read when the first node asks. */
    private static final class Rules {
        static final List<NodeRule> ROWS = NodeRule.read(NodeAuthorizer.class, "node-access.tsv");
        static final List<PolicyRule> OF_NODES = BootstrapPolicy.objects().stream().map(each -> each.object())
                .filter(each -> Json.text(each, "kind").equals("ClusterRole")
                        && Json.text(each, "metadata", "name").equals("system:node"))
                .flatMap(role -> PolicyRule.of(role.get("rules")).stream()).toList();
    }

    @Override
    public AuthorizationDecision authorize(User user, RequestInfo request) {
        String node = user.node();
        if (node == null) {
            return AuthorizationDecision.NO_OPINION;
        }
        String refusal = node.isEmpty() ? "unknown node for user \"" + user.name() + "\"" : refusal(node, request);
        return refusal == null ? AuthorizationDecision.ALLOWED : new AuthorizationDecision(false, refusal);
    }

    /** Why a node may not make a request, which may be empty; null if it may. */
    private @Nullable String refusal(String node, RequestInfo request) {
        String resource = request.resource() + (request.group().isEmpty() ? "" : "." + request.group());
        NodeRule rule = Rules.ROWS.stream()
                .filter(each -> each.isAbout(resource, request.verb(), request.subresource())
                        && holds(each.condition(), node, request))
                .findFirst().orElse(null);
        if (rule == null) {
            return Rules.OF_NODES.stream().anyMatch(each -> each.allows(request)) ? null : "";
        }
        return switch (rule.decision()) {
            case "allow" -> null;
            case "related" -> request.name().isEmpty()
                    ? "No Object name found"
                    : isRelated(node, resource, request.namespace(), request.name())
                            ? null
                            : "no relationship found between node '" + node + "' and this object";
            default -> rule.decision(value -> value.equals("name") ? request.name() : node);
        };
    }

    private static boolean holds(String condition, String node, RequestInfo request) {
        return switch (condition) {
            case "everywhere" -> request.namespace().isEmpty();
            case "no-lease" -> !request.namespace().equals("kube-node-lease");
            case "unnamed" -> request.name().isEmpty();
            case "own" -> request.name().equals(node);
            case "selected" -> node.equals(request.fields().requires(NODE_NAME));
            default -> true;
        };
    }

    private boolean isRelated(String node, String resource, String namespace, String name) {
        return switch (resource) {
            case "pods", "volumeattachments.storage.k8s.io", "resourceslices.resource.k8s.io" -> {
                StoredObject object = store.get(resource, namespace, name);
                yield object != null && node.equals(Json.text(object.tree(), "spec", "nodeName"));
            }
            case VOLUMES -> {
                JsonNode claim = spec(VOLUMES, "", name).path("claimRef");
                yield isNamed(node, CLAIMS, Json.text(claim, "namespace"), Json.text(claim, "name"));
            }
            case "secrets" -> isNamed(node, resource, namespace, name) || isOfVolume(node, namespace, name);
            default -> isNamed(node, resource, namespace, name);
        };
    }

    private boolean isNamed(String node, String resource, String namespace, String name) {
        return pods.get(node).stream().anyMatch(pod -> pod.namespace().equals(namespace)
                && names(pod).contains(resource + "/" + name));
    }

    /** A mirror pod gives no rights, because its node has made it. */
    private Set<String> names(StoredObject pod) {
        return names.computeIfAbsent(pod, stored -> {
            Set<String> found = new HashSet<>();
            ObjectNode tree = stored.tree();
            if (!PodValidation.isMirror(tree)) {
                PodReferences.of(tree).forEach(each -> found.add(each.resource() + "/" + each.name()));
            }
            return found;
        });
    }

    /** Whether the volume of a claim of one of the node's pods names a Secret that nodes need. */
    private boolean isOfVolume(String node, String namespace, String name) {
        return pods.get(node).stream().anyMatch(pod -> names(pod).stream()
                .filter(each -> each.startsWith(CLAIMS + "/")).anyMatch(each -> {
                    String claim = each.substring(CLAIMS.length() + 1);
                    JsonNode volume = spec(VOLUMES, "",
                            Json.text(spec(CLAIMS, pod.namespace(), claim), "volumeName"));
                    return Json.text(volume, "claimRef", "namespace").equals(pod.namespace())
                            && Json.text(volume, "claimRef", "name").equals(claim)
                            && names(volume, pod.namespace(), namespace, name);
                }));
    }

    private JsonNode spec(String resource, String namespace, String name) {
        StoredObject object = name.isEmpty() ? null : store.get(resource, namespace, name);
        return object == null ? Json.object() : object.tree().path("spec");
    }

    private static boolean names(JsonNode volume, String claims, String namespace, String name) {
        return PodReferences.below(volume, "").stream().filter(each -> each.resource().equals("secrets"))
                .anyMatch(each -> {
                    String field = each.path().split("\\.", -1)[1];
                    String given = Json.text(each.source(),
                            field.equals("azureFile") ? "secretNamespace" : "namespace");
                    return name.equals(each.name()) && namespace.equals(given.isEmpty()
                            && IN_CLAIMS_NAMESPACE.contains(field) ? claims : given);
                });
    }
}
