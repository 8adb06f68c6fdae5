package dev.wheelhouse.apiserver.rest;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.auth.ServiceAccountTokens;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

/**
 * The subresource {@code token} of service accounts, which issues tokens (upstream:
 * {@code pkg/registry/core/serviceaccount/storage/token.go}).
 */
record TokenRequests(Reads reads, Writes writes, ServiceAccountTokens tokens, Renderer renderer, Clock clock) {
    private static final ResourceType TYPE = new ResourceType("authentication.k8s.io", "v1", "tokenrequests",
            "TokenRequest", true);
    private static final long SHORTEST_SECONDS = Duration.ofMinutes(10).toSeconds();
    private static final long LONGEST_SECONDS = 1L << 32;

    ApiResponse make(Target target, ApiRequest request) {
        ObjectNode body = Bodies.object(request, TYPE);
        StoredObject account = reads.find(target);
        checkAccount(body, account);
        ObjectNode asked = Json.child(body, "spec");
        if (Json.at(asked, "expirationSeconds") == null) {
            asked.put("expirationSeconds", Duration.ofHours(1).toSeconds());
        }
        for (String field : List.of("audiences", "boundObjectRef")) {
            if (!asked.has(field)) {
                asked.putNull(field);
            }
        }
        body = writes.admit(target, body, null, request, wanted -> {
            Meta.of(wanted).put("name", account.name()).put("uid", account.uid()).put("creationTimestamp",
                    Meta.time(clock.now()));
            ObjectNode spec = Json.child(wanted, "spec");
            Json.putTexts(spec, "audiences", audiences(spec));
        });
        ObjectNode spec = Json.child(body, "spec");
        long seconds = Json.number(spec, 0, "expirationSeconds");
        validate(seconds);
        List<ServiceAccountTokens.Bound> bound = bound(spec, account);
        Instant end = clock.now().plusSeconds(seconds);

        ObjectNode answer = Json.object().put("kind", "TokenRequest").put("apiVersion", "authentication.k8s.io/v1");
        answer.set("metadata", Meta.of(body));
        answer.set("spec", spec);
        answer.putObject("status")
                .put("token", request.isDryRun() ? "" : tokens.make(account, audiences(spec), end, bound))
                .put("expirationTimestamp", Meta.time(end));
        return renderer.response(201, answer, Accept.lenient(request, false));
    }

    /** Refuses a request whose own name, namespace or UID differs from that of its service account. */
    private static void checkAccount(ObjectNode body, StoredObject account) {
        String namespace = Json.text(body, "metadata", "namespace");
        if (!namespace.isEmpty() && !namespace.equals(account.namespace())) {
            throw Errors.foreignNamespace();
        }
        String name = Json.text(body, "metadata", "name");
        if (!name.isEmpty() && !name.equals(account.name())) {
            throw Errors.invalid(TYPE.group(), TYPE.kind(), account.name(), Errors.one("metadata.name",
                    "FieldValueInvalid",
                    "Invalid value: \"" + name + "\": must match the service account name if specified"));
        }
        String uid = Json.text(body, "metadata", "uid");
        if (!uid.isEmpty() && !uid.equals(account.uid())) {
            throw Errors.conflict(TYPE, account.name(), "the UID in the token request (" + uid
                    + ") does not match the UID of the service account (" + account.uid() + ")");
        }
    }

    private static void validate(long seconds) {
        String problem = seconds < SHORTEST_SECONDS
                ? "may not specify a duration less than 10 minutes"
                : seconds > LONGEST_SECONDS ? "may not specify a duration larger than 2^32 seconds" : "";
        if (!problem.isEmpty()) {
            throw Errors.invalid("authentication.k8s.io", "TokenRequest", "",
                    Errors.one("spec.expirationSeconds", "FieldValueInvalid",
                            "Invalid value: " + seconds + ": " + problem));
        }
    }

    private static List<String> audiences(ObjectNode spec) {
        List<String> audiences = Json.texts(spec.path("audiences"));
        return audiences.isEmpty() ? List.of(ServiceAccountTokens.ISSUER) : audiences;
    }

    private List<ServiceAccountTokens.Bound> bound(ObjectNode spec, StoredObject account) {
        if (!(spec.get("boundObjectRef") instanceof ObjectNode reference)) {
            return List.of();
        }
        String kind = Json.text(reference, "kind");
        String name = Json.text(reference, "name");
        ResourceType type = switch (Json.text(reference, "apiVersion") + "/" + kind) {
            case "v1/Pod" -> ResourceType.PODS;
            case "v1/Secret" -> new ResourceType("", "v1", "secrets", "Secret", true);
            case "v1/Node" -> new ResourceType("", "v1", "nodes", "Node", false);
            default -> throw Errors.badRequest("cannot bind token to object of type "
                    + Json.text(reference, "apiVersion") + ", Kind=" + kind);
        };
        StoredObject object = reads.store().get(type.plural(), type.namespaced() ? account.namespace() : "", name);
        if (object == null) {
            throw Errors.notFound(type, name);
        }
        String uid = Json.text(reference, "uid");
        if (!uid.isEmpty() && !uid.equals(object.uid())) {
            throw Errors.conflict(type, name, "the UID in the bound object reference (" + uid
                    + ") does not match the UID in record. The object might have been deleted and then recreated");
        }
        if (type.equals(ResourceType.PODS) && !account.name().equals(serviceAccount(object))) {
            throw Errors.invalid("authentication.k8s.io", "TokenRequest", "",
                    Errors.one("spec.boundObjectRef", "FieldValueInvalid", "cannot bind token for serviceaccount \""
                            + account.name() + "\" to pod running with different serviceaccount name."));
        }
        List<ServiceAccountTokens.Bound> bound = new ArrayList<>();
        bound.add(new ServiceAccountTokens.Bound(kind.toLowerCase(Locale.ROOT), name, object.uid()));
        StoredObject node = reads.store().get("nodes", "", Json.text(object.tree(), "spec", "nodeName"));
        if (node != null && type.equals(ResourceType.PODS)) {
            bound.add(new ServiceAccountTokens.Bound("node", node.name(), node.uid()));
        }
        return bound;
    }

    private static String serviceAccount(StoredObject pod) {
        String name = Json.text(pod.tree(), "spec", "serviceAccountName");
        return name.isEmpty() ? "default" : name;
    }
}
