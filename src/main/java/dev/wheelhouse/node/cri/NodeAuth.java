package dev.wheelhouse.node.cri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1UserInfo;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.DelegatedAuth;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.pki.Pem;
import dev.wheelhouse.pki.Subject;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LogBudget;

/**
 * Authenticates clients of the node's server by certificates and tokens, and asks the API server for their rights
 * (upstream: {@code pkg/kubelet/server/auth.go}). The authorities of client certificates are those of a
 * file, else those that the API server publishes. Thread safe.
 */
final class NodeAuth {
    private static final Logger log = LoggerFactory.getLogger(NodeAuth.class);
    private static final ObjectKey PUBLISHED = ObjectKey.of("kube-system", "extension-apiserver-authentication");
    private static final String AUTHORITIES = "client-ca-file";
    /** The shortest time between two looks at the authorities, when a certificate is of none of them. */
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Map<String, String> VERBS = Map.of("POST", "create", "GET", "get", "PUT", "update", "PATCH",
            "patch", "DELETE", "delete");

    private final String node;
    private final KubeClient client;
    private final @Nullable Path file;
    private final DelegatedAuth reviews;
    private final Clock clock;
    private final LogBudget lines;
    private List<X509Certificate> authorities = List.of();
    private long nextLook;

    NodeAuth(String node, KubeClient client, @Nullable Path file, Clock clock) {
        this.node = node;
        this.client = client;
        this.file = file;
        this.clock = clock;
        this.lines = new LogBudget(clock);
        this.reviews = new DelegatedAuth(client, "the server of the node " + node + " serves nobody", clock);
        this.nextLook = clock.nanoTime();
    }

    /** A refusal. @param code 401 if the client is not known, 403 if it has no right, 500 if nobody can tell */
    record Refusal(int code, String text) {}

    /** Null if the client may do it. */
    @Nullable
    Refusal refusal(Exchange exchange, @Nullable X509Certificate peer) {
        V1UserInfo user = peer == null ? null : user(peer);
        if (user == null) {
            String[] shown = exchange.head().header("Authorization").strip().split(" +", 2);
            user = shown.length == 2 && shown[0].toLowerCase(Locale.ROOT).equals("bearer")
                    ? reviews.bearer(shown[1].strip()).who()
                    : null;
        }
        if (user == null) {
            return new Refusal(401, "Unauthorized");
        }
        String verb = VERBS.getOrDefault(exchange.method(), "");
        List<String> subresources = subresources(exchange.path());
        for (String subresource : subresources) {
            if (reviews.may(user, new V1SubjectAccessReviewSpec().resourceAttributes(
                    new V1ResourceAttributes().verb(verb).group("").version("v1").resource("nodes")
                            .subresource(subresource).name(node)))
                    .who() != null) {
                return null;
            }
        }
        return new Refusal(403, "Forbidden (user=" + user.getUsername() + ", verb=" + verb
                + ", resource=nodes, subresource(s)=[" + String.join(" ", subresources) + "])");
    }

    /** The subresources of nodes of which a request needs one (upstream: GetRequestAttributes). */
    static List<String> subresources(List<String> path) {
        String first = path.isEmpty() ? "" : path.getFirst();
        return switch (first) {
            case "stats", "metrics", "checkpoint", "statusz" -> List.of(first);
            case "logs" -> List.of("log");
            case "pods", "runningpods" -> List.of("pods", "proxy");
            case "healthz" -> List.of("healthz", "proxy");
            case "configz" -> List.of("configz", "proxy");
            case "flagz" -> List.of("configz");
            default -> List.of("proxy");
        };
    }

    /** Null if no authority has signed the certificate, or it names nobody. */
    private synchronized @Nullable V1UserInfo user(X509Certificate certificate) {
        if (!isSigned(certificate)) {
            if (clock.nanoTime() - nextLook < 0) {
                return null;
            }
            authorities = look();
            nextLook = clock.deadline(PAUSE);
            if (!isSigned(certificate)) {
                return null;
            }
        }
        Subject subject = Subject.of(certificate.getSubjectX500Principal().getName());
        List<String> groups = new ArrayList<>(subject.groups());
        groups.add("system:authenticated");
        return subject.name().isEmpty() ? null : new V1UserInfo().username(subject.name()).groups(groups);
    }

    private List<X509Certificate> look() {
        try {
            if (file != null) {
                return Pem.certificates(Files.readString(file));
            }
            Map<String, String> data = client.resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class).get(PUBLISHED)
                    .getData();
            return Pem.certificates(data == null ? "" : data.getOrDefault(AUTHORITIES, ""));
        } catch (IOException | KubeApiException | IllegalArgumentException e) {
            lines.warn(log, "the node " + node + " knows no authority of client certificates, so it serves bearers of "
                    + "tokens alone: " + e.getMessage() + "; let the node read the ConfigMap " + PUBLISHED
                    + ", or name the file with --wheelhouse.node.client-ca-file");
            return authorities;
        }
    }

    private boolean isSigned(X509Certificate certificate) {
        if (authorities.isEmpty()) {
            return false;
        }
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < authorities.size(); i++) {
                store.setCertificateEntry(String.valueOf(i), authorities.get(i));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509TrustManager trust) {
                    trust.checkClientTrusted(new X509Certificate[]{certificate},
                            certificate.getPublicKey().getAlgorithm());
                    return true;
                }
            }
            return false;
        } catch (GeneralSecurityException | IOException e) {
            return false;
        }
    }
}
