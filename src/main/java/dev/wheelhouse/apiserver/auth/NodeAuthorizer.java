package dev.wheelhouse.apiserver.auth;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
 * The roles decide about other users, and about nodes where it does not allow a request. Thread safe.
 */
final class NodeAuthorizer implements Authorizer {
    private static final String CLAIMS = "persistentvolumeclaims";
    private static final String VOLUMES = "persistentvolumes";
    private static final String LEASES = "kube-node-lease";
    private static final String NODE_NAME = "spec.nodeName";
    private static final Set<String> OWN_VERBS = Set.of("get", "create", "update", "patch", "delete");
    private static final Set<String> READS = Set.of("get", "list", "watch");
    private static final Set<String> CHANGES = Set.of("update", "patch");
    /** The references of a volume to Secrets that nodes need; most kinds of volumes have one. */
    private static final List<String> SECRETS = List.of("secretRef", "nodePublishSecretRef", "nodeStageSecretRef",
            "nodeExpandSecretRef");
    /** The kinds of volumes whose Secret is in the namespace of the claim if they name no other. */
    private static final Set<String> IN_CLAIMS_NAMESPACE = Set.of("azureFile", "cephfs", "flexVolume", "rbd", "scaleIO",
            "iscsi");

    private final Authorizer roles;
    private final ObjectStore store;
    private final FieldIndex pods;
    /** The names in a version of a pod, as {@code secrets/name}. */
    private final Map<StoredObject, Set<String>> names = Collections.synchronizedMap(new WeakHashMap<>());

    NodeAuthorizer(Authorizer roles, ObjectStore store) {
        this.roles = roles;
        this.store = store;
        this.pods = new FieldIndex(store, "pods", NODE_NAME);
    }

    /** The rules for what is the same for all nodes. */
    private static final class Rules {
        static final List<PolicyRule> OF_NODES = BootstrapPolicy.objects().stream().map(each -> each.object())
                .filter(each -> Json.text(each, "kind").equals("ClusterRole")
                        && Json.text(each, "metadata", "name").equals("system:node"))
                .flatMap(role -> PolicyRule.of(role.get("rules")).stream()).toList();
    }

    @Override
    public AuthorizationDecision authorize(User user, RequestInfo request) {
        String node = user.node();
        if (node == null) {
            return roles.authorize(user, request);
        }
        String refusal = node.isEmpty() ? "unknown node for user \"" + user.name() + "\"" : refusal(node, request);
        if (refusal == null) {
            return AuthorizationDecision.ALLOWED;
        }
        AuthorizationDecision other = roles.authorize(user, request);
        return other.allowed()
                ? other
                : new AuthorizationDecision(false, Stream.of(refusal, other.reason())
                        .filter(reason -> !reason.isEmpty()).collect(Collectors.joining("\n")));
    }

    /** The rights by roles: those that follow from pods cannot be listed. */
    @Override
    public List<PolicyRule> rules(User user, String namespace) {
        return roles.rules(user, namespace);
    }

    /** Why a node may not make a request, which may be empty; null if it may. */
    private @Nullable String refusal(String node, RequestInfo request) {
        String verb = request.verb();
        boolean whole = request.subresource().isEmpty();
        return switch (resource(request)) {
            case "secrets", "configmaps" -> readOfNamed(node, request);
            case CLAIMS -> request.subresource().equals("status")
                    ? CHANGES.contains(verb) ? ofRelated(node, request) : "can only get/update/patch this type"
                    : get(node, request);
            case VOLUMES, "resourceclaims.resource.k8s.io", "volumeattachments.storage.k8s.io" -> get(node, request);
            case "serviceaccounts" -> verb.equals("get") && whole ? readOfNamed(node, request) : token(node, request);
            case "leases.coordination.k8s.io" -> !OWN_VERBS.contains(verb)
                    ? "can only get, create, update, patch, or delete a node lease"
                    : request.namespace().equals(LEASES)
                            ? own(node, request, "node lease")
                            : "can only access leases in the \"" + LEASES + "\" system namespace";
            case "csinodes.storage.k8s.io" -> !OWN_VERBS.contains(verb)
                    ? "can only get, create, update, patch, or delete a CSINode"
                    : whole ? own(node, request, "CSINode") : "cannot authorize CSINode subresources";
            case "resourceslices.resource.k8s.io" -> whole
                    ? slice(node, request)
                    : "cannot authorize ResourceSlice subresources";
            case "nodes" -> node(node, request);
            case "pods" -> pod(node, request);
            default -> Rules.OF_NODES.stream().anyMatch(rule -> rule.allows(request)) ? null : "";
        };
    }

    /** As {@code csinodes.storage.k8s.io}; empty for a path. */
    private static String resource(RequestInfo request) {
        return request.resource() + (request.group().isEmpty() ? "" : "." + request.group());
    }

    private @Nullable String readOfNamed(String node, RequestInfo request) {
        return !READS.contains(request.verb())
                ? "can only read resources of this type"
                : !request.subresource().isEmpty()
                        ? "cannot read subresource"
                        : request.namespace().isEmpty()
                                ? "can only read namespaced object of this type"
                                : ofRelated(node, request);
    }

    private @Nullable String get(String node, RequestInfo request) {
        return !request.verb().equals("get")
                ? "can only get individual resources of this type"
                : request.subresource().isEmpty() ? ofRelated(node, request) : "cannot get subresource";
    }

    private @Nullable String token(String node, RequestInfo request) {
        return !request.verb().equals("create") || request.name().isEmpty()
                ? "can only create tokens for individual service accounts"
                : request.subresource().equals("token")
                        ? ofRelated(node, request)
                        : "can only create token subresource of serviceaccount";
    }

    /** The name of a new object is not known yet: the admission of nodes checks it. */
    private static @Nullable String own(String node, RequestInfo request, String what) {
        return request.verb().equals("create") || request.name().equals(node)
                ? null
                : "can only access " + what + " with the same name as the requesting node";
    }

    private @Nullable String slice(String node, RequestInfo request) {
        return switch (request.verb()) {
            case "create" -> null;
            case "get", "update", "patch", "delete" -> ofRelated(node, request);
            case "watch", "list", "deletecollection" -> selects(node, request)
                    ? null
                    : "can only list/watch/deletecollection resourceslices with nodeName field selector";
            default -> "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, "
                    + "patch, delete, deletecollection";
        };
    }

    private static boolean selects(String node, RequestInfo request) {
        return node.equals(request.fields().requires(NODE_NAME));
    }

    private static @Nullable String node(String node, RequestInfo request) {
        String verb = request.verb();
        return switch (request.subresource()) {
            case "" -> verb.equals("create") || CHANGES.contains(verb)
                    ? null
                    : !READS.contains(verb)
                            ? ""
                            : request.name().equals(node)
                                    ? null
                                    : "node '" + node + "' cannot read "
                                            + (request.name().isEmpty() ? "all nodes" : "'" + request.name() + "'")
                                            + ", only its own Node object";
            case "status" -> CHANGES.contains(verb) ? null : "";
            default -> "";
        };
    }

    private @Nullable String pod(String node, RequestInfo request) {
        String verb = request.verb();
        return switch (request.subresource()) {
            case "" -> switch (verb) {
                case "get" -> get(node, request);
                case "list", "watch" -> selects(node, request)
                        ? null
                        : request.name().isEmpty()
                                ? "can only list/watch pods with spec.nodeName field selector"
                                : ofRelated(node, request);
                case "create", "delete" -> null;
                default -> "";
            };
            case "status" -> CHANGES.contains(verb) ? null : "";
            case "eviction" -> verb.equals("create") ? null : "";
            default -> "";
        };
    }

    private @Nullable String ofRelated(String node, RequestInfo request) {
        return request.name().isEmpty()
                ? "No Object name found"
                : isRelated(node, resource(request), request.namespace(), request.name())
                        ? null
                        : "no relationship found between node '" + node + "' and this object";
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
        return names.computeIfAbsent(pod, each -> {
            Set<String> found = new HashSet<>();
            ObjectNode tree = each.tree();
            if (!PodValidation.isMirror(tree)) {
                PodReferences.visit(tree, (resource, name) -> found.add(resource + "/" + name));
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
        return volume.properties().stream().anyMatch(field -> {
            JsonNode source = field.getValue();
            String otherwise = IN_CLAIMS_NAMESPACE.contains(field.getKey()) ? claims : "";
            return is(name, namespace, Json.text(source, "secretName"), Json.text(source, "secretNamespace"), otherwise)
                    || SECRETS.stream().map(source::path).anyMatch(secret -> is(name, namespace,
                            Json.text(secret, "name"), Json.text(secret, "namespace"), otherwise));
        });
    }

    private static boolean is(String name, String namespace, String named, String in, String otherwise) {
        return name.equals(named) && namespace.equals(in.isEmpty() ? otherwise : in);
    }
}
