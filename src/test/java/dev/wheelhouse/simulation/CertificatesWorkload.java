package dev.wheelhouse.simulation;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.certificates.RequestApprover;
import dev.wheelhouse.controllers.certificates.RequestCleaner;
import dev.wheelhouse.controllers.certificates.RequestSigner;
import dev.wheelhouse.controllers.certificates.SignedRequests;

/**
 * Requests for certificates: of kubelets, which the controllers approve, of people, some with usages that the signer
 * does not accept, and of a signer that is not one of Kubernetes. A user approves and denies them.
 */
final class CertificatesWorkload extends Workload {
    private static final String REQUEST = "certificatesigningrequest";

    /** The contents of a request. */
    private enum Asked {
        KUBELET("kubernetes.io/kube-apiserver-client-kubelet", "CN=system:node:a,O=system:nodes", "digital signature",
                "client auth"),
        PERSON("kubernetes.io/kube-apiserver-client", "CN=someone", "client auth"),
        REFUSED("kubernetes.io/kube-apiserver-client", "CN=someone", "server auth"),
        FOREIGN("example.com/signer", "CN=someone", "client auth");

        private final String spec;

        Asked(String signer, String subject, String... usages) {
            spec = "{\"signerName\": \"%s\", \"usages\": [\"%s\"], \"request\": \"%s\"}".formatted(signer,
                    String.join("\", \"", usages),
                    Base64.getEncoder().encodeToString(SignedRequests.pem(subject)));
        }
    }

    private int requests;

    CertificatesWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(RequestApprover.NAME, RequestSigner.NAME, RequestCleaner.NAME);
        for (int i = 4 + random.nextInt(6); i > 0; i--) {
            if (requests == 0 || random.nextBoolean()) {
                create(Asked.values()[random.nextInt(Asked.values().length)]);
            } else {
                decide(name + "-" + random.nextInt(requests), random.nextInt(4) > 0 ? "Approved" : "Denied");
            }
        }
    }

    private void create(Asked asked) {
        String which = name + "-" + requests++;
        steps.add(new Step("creates the request " + which + " of the kind " + asked, e -> e.api().create(REQUEST,
                "{\"metadata\": {\"name\": \"%s\", \"labels\": {\"asked\": \"%s\"}}, \"spec\": %s}".formatted(which,
                        asked, asked.spec))));
    }

    private void decide(String which, String decision) {
        steps.add(new Step("decides on the request " + which + ": " + decision, e -> {
            JsonNode request = e.api().find(REQUEST, which);
            if (request != null && request.path("status").path("conditions").isEmpty()) {
                Api.expect(e.api().patch(REQUEST, which + "/approval", "merge", Json.read("""
                        {"status": {"conditions": [{"type": "%s", "status": "True", "reason": "ByUser",
                          "message": "fine"}]}}""".formatted(decision))));
            }
        }));
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new CertificateInvariants(truth, history));
    }

    private List<JsonNode> requests(Api api) {
        return api.list(REQUEST).stream().filter(r -> ObjectFields.name(r).startsWith(name + "-")).toList();
    }

    private static boolean has(JsonNode request, String condition) {
        return request.path("status").path("conditions").valueStream()
                .anyMatch(each -> Json.text(each, "type").equals(condition));
    }

    @Override
    public boolean isSeen(Api api) {
        return requests(api).stream().allMatch(request -> {
            boolean signed = request.path("status").has("certificate");
            return switch (Asked.valueOf(Json.text(request, "metadata", "labels", "asked"))) {
                case KUBELET -> signed;
                case PERSON -> signed || !has(request, "Approved");
                case REFUSED -> has(request, "Failed") || !has(request, "Approved");
                case FOREIGN -> !signed;
            };
        });
    }

    /** {@inheritDoc} Requests that were decided on go after an hour, which a run may last or not. */
    @Override
    public Map<String, String> state(Api api) {
        return Map.of("undecided requests", requests(api).stream()
                .filter(request -> request.path("status").path("conditions").isEmpty()).map(ObjectFields::name).toList()
                .toString());
    }
}
