package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.table.HumanDuration;
import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.pki.CertificateRequest;

/**
 * Requests for certificates. The server fills in the user who makes one (upstream:
 * {@code pkg/registry/certificates/certificates}).
 */
final class CertificateSigningRequestStrategy extends Strategy {
    /** Its certificates would be those of any user and any group, so version v1 does not serve it. */
    private static final String LEGACY_SIGNER = "kubernetes.io/legacy-unknown";
    private static final long SHORTEST_SECONDS = 600;
    private static final String[] USAGES = {"any", "cert sign", "client auth", "code signing", "content commitment",
            "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only",
            "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc",
            "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"};

    CertificateSigningRequestStrategy() {
        super("certificates.k8s.io", "CertificateSigningRequest", TableColumn.objectName(), TableColumn.age(),
                TableColumn.of("SignerName", "Signer that is asked.", o -> o.textOr(Item.NONE, "spec", "signerName")),
                TableColumn.of("Requestor", "User who asks for the certificate.", o -> o.text("spec", "username")),
                TableColumn.of("RequestedDuration", "Validity that is asked for.",
                        o -> o.has("spec", "expirationSeconds")
                                ? HumanDuration.of(Duration.ofSeconds(o.number("spec", "expirationSeconds")))
                                : Item.NONE),
                TableColumn.of("Condition", "State of the request.", CertificateSigningRequestStrategy::state));
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

    /** Upstream: {@code pkg/apis/certificates/validation}. */
    @Override
    protected void validate(ObjectNode object, Problems problems) {
        JsonNode spec = object.path("spec");
        try {
            if (!CertificateRequest.parse(Base64.getDecoder().decode(Json.text(spec, "request"))).isSignedByOwnKey()) {
                problems.omitted("spec.request", "the signature is not the one of the request's key");
            }
        } catch (IllegalArgumentException e) {
            problems.omitted("spec.request", String.valueOf(e.getMessage()));
        }
        problems.filled(spec, "spec", "usages");
        Set<String> seen = new HashSet<>();
        Problems.each(spec, "spec", "usages", (usage, at) -> {
            problems.supported(at, usage.asString(""), USAGES);
            problems.unique(seen, usage.asString(""), at, usage.toString());
        });
        signer(Json.text(spec, "signerName"), problems);
        long seconds = Json.number(spec, SHORTEST_SECONDS, "expirationSeconds");
        if (seconds < SHORTEST_SECONDS) {
            problems.invalid("spec.expirationSeconds", seconds,
                    "may not specify a duration less than 600 seconds (10 minutes)");
        }
    }

    private static void signer(String signer, Problems problems) {
        String at = "spec.signerName";
        int slash = signer.indexOf('/');
        if (signer.isEmpty()) {
            problems.required(at);
        } else if (signer.equals(LEGACY_SIGNER)) {
            problems.invalid(at, signer, "the legacy signerName is not allowed via this API version");
        } else if (slash < 0 || slash != signer.lastIndexOf('/')) {
            problems.invalid(at, signer,
                    "must be a fully qualified domain and path of the form 'example.com/signer-name'");
        } else {
            String domain = signer.substring(0, slash);
            problems.invalid(at, domain, Formats.dnsSubdomain(domain));
            if (domain.indexOf('.') < 0) {
                problems.invalid(at, domain, "should be a domain with at least two segments separated by dots");
            }
            problems.invalid(at, signer.substring(slash + 1), Formats.dnsSubdomain(signer.substring(slash + 1)));
        }
    }

    /** The specification never changes. */
    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {}

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
    protected void validateStatus(ObjectNode object, ObjectNode old, Problems problems) {
        conditions(object.path("status"), problems);
        if (!conditions(object, "Approved").isEmpty() && !conditions(object, "Denied").isEmpty()) {
            problems.invalid("status.conditions", Json.text(conditions(object).stream()
                    .filter(each -> List.of("Approved", "Denied").contains(Json.text(each, "type")))
                    .toList().get(1), "type"), "Approved and Denied conditions are mutually exclusive");
        }
    }

    @Override
    protected void validateSubresource(String subresource, ObjectNode object, ObjectNode old, Problems problems) {
        validateStatus(object, old, problems);
    }

    /** Checks the values of the conditions in a status. */
    static void conditions(JsonNode status, Problems problems) {
        Problems.each(status.path("conditions"), "status.conditions", (condition, field) -> {
            String at = field + ".status";
            String value = Json.text(condition, "status");
            problems.supported(at, value, "False", "True", "Unknown");
        });
    }
}
