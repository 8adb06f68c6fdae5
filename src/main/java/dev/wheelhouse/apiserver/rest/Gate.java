package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.Credentials;
import dev.wheelhouse.apiserver.auth.Decision;
import dev.wheelhouse.apiserver.auth.Impersonation;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.error.Errors;

/** Lets requests in: who asks, as whom, and whether they may (upstream: the filters of {@code apiserver/pkg/server/config.go}). */
final class Gate {
    private final Authenticator authenticator;
    private final Authorizer authorizer;

    Gate(Authenticator authenticator, Authorizer authorizer) {
        this.authenticator = authenticator;
        this.authorizer = authorizer;
    }

    /**
     * Who asks, once it is certain that they may. Needs no body, so that none has to be read for somebody who may not.
     *
     * @throws ApiException 401 if nobody knows who asks, 403 if they may not, 400 if they ask as nobody in particular
     */
    User admit(Credentials credentials, RequestInfo about) {
        User user = user(credentials);
        require(user, about);
        return user;
    }

    private User user(Credentials credentials) {
        User user;
        try {
            user = authenticator.authenticate(credentials);
        } catch (UnauthorizedException e) {
            throw Errors.unauthorized();
        }
        @Nullable
        Impersonation asked = Impersonation.of(credentials);
        if (asked == null) {
            return user;
        }
        if (asked.user().isEmpty()) {
            throw Errors.badRequest("requested " + asked + " without impersonating a user name");
        }
        for (RequestInfo right : asked.requiredRights()) {
            require(user, right);
        }
        return asked.impersonated();
    }

    private void require(User user, RequestInfo about) {
        Decision decision = authorizer.authorize(user, about);
        if (!decision.allowed()) {
            throw Errors.forbidden(about, user, decision.reason());
        }
    }
}
