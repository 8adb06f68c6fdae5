package dev.wheelhouse.apiserver.auth;

/**
 * An authorizer's answer.
 *
 * @param reason why the request is allowed, or which problems the authorizer met; may be empty
 */
public record AuthorizationDecision(boolean allowed, String reason) {
    static final AuthorizationDecision ALLOWED = new AuthorizationDecision(true, "");
}
