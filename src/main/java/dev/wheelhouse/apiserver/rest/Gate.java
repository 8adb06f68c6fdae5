package dev.wheelhouse.apiserver.rest;

import java.util.function.Predicate;

import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.AuthorizationDecision;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Impersonation;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;

/**
 * Authenticates the sender of a request, resolves impersonation and authorizes (upstream: the filters of
 * {@code apiserver/pkg/server/config.go}).
 *
 * @param anonymous the paths that requests without credentials may name
 */
record Gate(Authenticator authenticator, Authorizer authorizer, Predicate<String> anonymous) {
    /** Whether the credentials are valid and not missing. */
    boolean knows(Credentials credentials) {
        try {
            return !authenticator.authenticate(credentials).equals(User.ANONYMOUS);
        } catch (UnauthorizedException e) {
            return false;
        }
    }

    /**
     * Returns the user in whose name a request is made. Needs the head of the request only, so that a server reads no
     * body for a sender without rights.
     *
     * @throws ApiException 401 for invalid credentials, 403 if the user may not impersonate the other one, 400 for an
     *        impersonation that names no user
     */
    User user(Credentials credentials, RequestInfo about) {
        User user;
        try {
            user = authenticator.authenticate(credentials);
            if (user.equals(User.ANONYMOUS) && !anonymous.test(about.path())) {
                throw new UnauthorizedException("no credentials");
            }
        } catch (UnauthorizedException e) {
            AuditEvent.received(null, about);
            throw Errors.unauthorized();
        }
        AuditEvent.received(user, about);
        Impersonation asked = Impersonation.of(credentials);
        if (asked == null) {
            return user;
        }
        if (asked.user().isEmpty()) {
            throw Errors.badRequest("requested " + asked + " without impersonating a user name");
        }
        for (RequestInfo right : asked.requiredRights()) {
            check(user, right, authorizer.authorize(user, right));
        }
        User other = asked.impersonated();
        AuditEvent.impersonates(other);
        return other;
    }

    /** @throws ApiException 403 if the user lacks the right */
    void require(User user, RequestInfo about) {
        AuthorizationDecision decision = authorizer.authorize(user, about);
        AuditEvent.annotate("authorization.k8s.io/decision", decision.allowed() ? "allow" : "forbid");
        AuditEvent.annotate("authorization.k8s.io/reason", decision.reason());
        check(user, about, decision);
    }

    private static void check(User user, RequestInfo about, AuthorizationDecision decision) {
        if (!decision.allowed()) {
            throw Errors.forbidden(about, user, decision.reason());
        }
    }
}
