package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.Subject;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.pki.CertificateRequest;

/**
 * Requests for certificates. The server fills in the user who makes one (upstream:
 * {@code pkg/registry/certificates/certificates}).
 */
final class CertificateSigningRequestStrategy extends Strategy {
    /** Its certificates would be those of any user and any group, so version v1 does not serve it. */
    private static final String LEGACY_SIGNER = "kubernetes.io/legacy-unknown";

    private static final int MOST_OF_DOMAIN = 253;
    private static final int MOST_OF_SIGNER = 571;

    CertificateSigningRequestStrategy() {
        super("certificates.k8s.io", "CertificateSigningRequest",
                Map.of("state", CertificateSigningRequestStrategy::state, "duration",
                        o -> o.has("spec", "expirationSeconds")
                                ? HumanDuration.of(Duration.ofSeconds(o.number("spec", "expirationSeconds")))
                                : Item.NONE));
    }

    private static String state(Item request) {
        String state = has(request, "Denied") ? "Denied" : has(request, "Approved") ? "Approved" : "Pending";
        return state + (has(request, "Failed") ? ",Failed" : "")
                + (request.text("status", "certificate").isEmpty() ? "" : ",Issued");
    }

    private static boolean has(Item request, String condition) {
        return request.items("status", "conditions").stream().anyMatch(c -> c.text("type").equals(condition));
    }

    @Override
    protected void create(ObjectNode object, User writer, ClusterState state) {
        ObjectNode spec = Json.child(object, "spec");
        spec.remove(List.of("username", "uid", "groups", "extra"));
        ObjectNode info = writer.toJson();
        spec.put("username", writer.name());
        for (String field : List.of("uid", "groups", "extra")) {
            if (info.get(field) != null) {
                spec.set(field, info.get(field));
            }
        }
    }

    @Override
    protected void update(ObjectNode object, ObjectNode old, ClusterState state) {
        Meta.copy(old, object, "spec");
    }

    /** Both subresources write the status: {@code approval} the conditions, {@code status} all but the decision. */
    @Override
    public void prepareForUpdate(ResourceInfo info, String subresource, ObjectNode object, ObjectNode old,
            ClusterState state) {
        boolean approval = subresource.equals("approval");
        super.prepareForUpdate(info, approval ? "status" : subresource, object, old, state);
        if (subresource.isEmpty()) {
            return;
        }
        if (approval) {
            Meta.set(Json.child(object, "status"), "certificate", Json.at(old, "status", "certificate"));
        } else {
            keep(object, old, "Approved");
            keep(object, old, "Denied");
        }
        addTimes(object, old, Meta.time(state.clock().now()));
    }

    private static List<ObjectNode> conditions(ObjectNode request) {
        return request.path("status").path("conditions").valueStream().filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast).toList();
    }

    private static List<ObjectNode> conditions(ObjectNode request, String type) {
        return conditions(request).stream().filter(each -> Json.text(each, "type").equals(type)).toList();
    }

    /** Reverts changes of the conditions of a type. A condition that was added or removed is refused later. */
    private static void keep(ObjectNode object, ObjectNode old, String type) {
        List<ObjectNode> now = conditions(object, type);
        List<ObjectNode> before = conditions(old, type);
        for (int i = 0; now.size() == before.size() && i < now.size(); i++) {
            now.get(i).removeAll();
            now.get(i).setAll(before.get(i));
        }
    }

    /** Sets the times that conditions lack. Takes linear work, because a client chooses the number of conditions. */
    static void addTimes(ObjectNode object, ObjectNode old, String now) {
        Map<String, String> transitions = new HashMap<>();
        conditions(old).forEach(before -> transitions.putIfAbsent(state(before),
                Json.text(before, "lastTransitionTime")));
        for (ObjectNode condition : conditions(object)) {
            if (Json.text(condition, "lastUpdateTime").isEmpty()) {
                condition.put("lastUpdateTime", now);
            }
            if (Json.text(condition, "lastTransitionTime").isEmpty()) {
                String before = transitions.getOrDefault(state(condition), "");
                condition.put("lastTransitionTime", before.isEmpty() ? now : before);
            }
        }
    }

    private static String state(ObjectNode condition) {
        return Json.text(condition, "status") + " " + Json.text(condition, "type");
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        validateStatus(object, old, problems);
    }

    static void certificateRequest(Subject request) {
        try {
            if (!CertificateRequest.parse(Base64.getDecoder().decode(request.text())).isSignedByOwnKey()) {
                request.problems().invalid(request.path(), request.value(),
                        "the signature is not the one of the request's key");
            }
        } catch (IllegalArgumentException e) {
            request.problems().omitted(request.path(), String.valueOf(e.getMessage()));
        }
    }

    static void signerName(Subject subject) {
        String signer = subject.text();
        String at = subject.path();
        Problems problems = subject.problems();
        int slash = signer.indexOf('/');
        if (signer.equals(LEGACY_SIGNER)) {
            problems.invalid(at, signer, "the legacy signerName is not allowed via this API version");
        } else if (slash < 0 || slash != signer.lastIndexOf('/')) {
            problems.invalid(at, signer,
                    "must be a fully qualified domain and path of the form 'example.com/signer-name'");
        } else {
            String domain = signer.substring(0, slash);
            if (domain.length() > MOST_OF_DOMAIN) {
                problems.tooLong(at, MOST_OF_DOMAIN);
            }
            labels(domain, Formats::dnsLabel, subject);
            if (domain.indexOf('.') < 0) {
                problems.invalid(at, domain, "should be a domain with at least two segments separated by dots");
            }
            labels(signer.substring(slash + 1), Formats::dnsSubdomain, subject);
            if (signer.length() > MOST_OF_SIGNER) {
                problems.tooLong(at, MOST_OF_SIGNER);
            }
        }
    }

    /** Checks the labels of a name until one is wrong. */
    private static void labels(String name, Function<String, List<String>> format, Subject subject) {
        for (String label : name.split("\\.", -1)) {
            List<String> wrong = format.apply(label);
            for (String message : wrong) {
                subject.problems().invalid(subject.path(), name, "validating label \"" + label + "\": " + message);
            }
            if (!wrong.isEmpty()) {
                return;
            }
        }
    }

    static void approvedOrDenied(Subject request) {
        List<JsonNode> decisions = request.value().path("status").path("conditions").valueStream()
                .filter(each -> List.of("Approved", "Denied").contains(Json.text(each, "type"))).toList();
        if (decisions.stream().map(each -> Json.text(each, "type")).distinct().count() > 1) {
            request.problems().invalid("status.conditions", Json.text(decisions.get(1), "type"),
                    "Approved and Denied conditions are mutually exclusive");
        }
    }
}
