package dev.wheelhouse.apiserver.auth;

/**
 * An authorizer's answer. If it neither allows nor denies the request, other authorizers decide.
 *
 * @param reason why the request is allowed or not, or which problems the authorizer met; may be empty
 */
public record AuthorizationDecision(boolean allowed, boolean denied, String reason) {
    public static final AuthorizationDecision NO_OPINION = new AuthorizationDecision(false, "");
    static final AuthorizationDecision ALLOWED = new AuthorizationDecision(true, "");

    /** An answer that denies nothing. */
    AuthorizationDecision(boolean allowed, String reason) {
        this(allowed, false, reason);
    }
}
