package dev.wheelhouse.apiserver.table;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import static dev.wheelhouse.apiserver.table.Item.NONE;

/** Groups {@code rbac.authorization.k8s.io} and {@code certificates.k8s.io}. */
final class AccessPrinters {
    private static final String RBAC = "rbac.authorization.k8s.io/";
    private static final String CERTIFICATES = "certificates.k8s.io/";

    private AccessPrinters() {}

    static void addTo(Map<String, List<Column>> all) {
        List<Column> binding = List.of(Column.objectName(),
                Column.of("Role", "Role that is given.", o -> o.text("roleRef", "kind") + "/" + o.text("roleRef",
                        "name")),
                Column.age(),
                subjects("Users", "User", s -> s.text("name")),
                subjects("Groups", "Group", s -> s.text("name")),
                subjects("ServiceAccounts", "ServiceAccount", s -> s.text("namespace") + "/" + s.text("name")));
        all.put(RBAC + "RoleBinding", binding);
        all.put(RBAC + "ClusterRoleBinding", binding);
        all.put(CERTIFICATES + "CertificateSigningRequest", List.of(Column.objectName(), Column.age(), signer(),
                Column.of("Requestor", "Who asks for the certificate.", o -> o.text("spec", "username")),
                Column.of("RequestedDuration", "How long the certificate shall be valid.",
                        o -> o.has("spec", "expirationSeconds")
                                ? HumanDuration.of(Duration.ofSeconds(o.number("spec", "expirationSeconds")))
                                : NONE),
                Column.of("Condition", "How far the request is.", AccessPrinters::signingState)));
        all.put(CERTIFICATES + "ClusterTrustBundle", List.of(Column.objectName(), signer()));
        all.put(CERTIFICATES + "PodCertificateRequest", List.of(Column.objectName(),
                Column.of("PodName", "Pod that the certificate is for.", o -> o.text("spec", "podName")),
                Column.of("ServiceAccountName", "Service account of the pod.",
                        o -> o.text("spec", "serviceAccountName")),
                Column.of("NodeName", "Node of the pod.", o -> o.text("spec", "nodeName")),
                Column.of("SignerName", "Who shall sign.", o -> o.text("spec", "signerName")),
                Column.of("State", "How far the request is.", AccessPrinters::podCertificateState),
                Column.of("UnverifiedUserAnnotations", "What the pod says, unchecked.",
                        o -> o.labels("spec", "unverifiedUserAnnotations"))));
    }

    private static Column subjects(String name, String kind, Function<Item, String> text) {
        return Column.of(name, name + " that the role is given to.",
                o -> String.join(", ", o.items("subjects").stream().filter(s -> s.text("kind").equals(kind)).map(text)
                        .toList()))
                .wide();
    }

    private static Column signer() {
        return Column.of("SignerName", "Who shall sign.", o -> o.textOr(NONE, "spec", "signerName"));
    }

    private static boolean has(Item request, String condition) {
        return request.items("status", "conditions").stream().anyMatch(c -> c.text("type").equals(condition));
    }

    private static String signingState(Item request) {
        String state = has(request, "Denied") ? "Denied" : has(request, "Approved") ? "Approved" : "Pending";
        return state + (has(request, "Failed") ? ",Failed" : "")
                + (request.text("status", "certificate").isEmpty() ? "" : ",Issued");
    }

    private static String podCertificateState(Item request) {
        String state = "Pending";
        for (Item condition : request.items("status", "conditions")) {
            String type = condition.text("type");
            if (List.of("Issued", "Denied", "Failed").contains(type)) {
                state = type;
            }
        }
        return state;
    }
}
