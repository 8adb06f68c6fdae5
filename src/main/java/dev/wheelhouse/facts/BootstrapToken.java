package dev.wheelhouse.facts;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;

/** The Secrets of bootstrap tokens (upstream: {@code k8s.io/cluster-bootstrap/token/api}). */
public final class BootstrapToken {
    /** The namespace of these Secrets. */
    public static final String NAMESPACE = "kube-system";
    /** The type of these Secrets. */
    public static final String TYPE = "bootstrap.kubernetes.io/token";
    /** The names of these Secrets begin with it, and end with the token's ID. */
    public static final String PREFIX = "bootstrap-token-";

    /** The times that Go accepts as RFC 3339. */
    private static final Pattern TIME = Pattern
            .compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d([.]\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)");

    private BootstrapToken() {}

    /**
     * The time from which a token is invalid: the distant past if it cannot be read, the distant future if there is
     * none (upstream: {@code GetExpiration} in {@code k8s.io/cluster-bootstrap/util/secrets}).
     *
     * @param text the field {@code expiration} of the Secret
     */
    public static Instant expiration(String text) {
        if (text.isEmpty()) {
            return Instant.MAX;
        }
        try {
            return TIME.matcher(text).matches() ? OffsetDateTime.parse(text).toInstant() : Instant.MIN;
        } catch (DateTimeException e) {
            return Instant.MIN;
        }
    }
}
