package dev.wheelhouse.apiserver.auth;

/**
 * An authorizer's answer. If it neither allows nor denies the request, other authorizers decide.
 *
 * @param reason why the request is allowed or not; may be empty
 * @param error why the authorizer could not decide; empty if it could
 */
public record AuthorizationDecision(boolean allowed, boolean denied, String reason, String error) {
    public static final AuthorizationDecision NO_OPINION = new AuthorizationDecision(false, "");
    static final AuthorizationDecision ALLOWED = new AuthorizationDecision(true, "");

    /** An answer without an error, which denies nothing. */
    AuthorizationDecision(boolean allowed, String reason) {
        this(allowed, false, reason, "");
    }
}
