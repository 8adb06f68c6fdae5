package dev.wheelhouse.apiserver.rest;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.auth.Authenticator;
import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.Decision;
import dev.wheelhouse.apiserver.auth.Impersonation;
import dev.wheelhouse.apiserver.auth.RequestInfo;
import dev.wheelhouse.apiserver.auth.UnauthorizedException;
import dev.wheelhouse.apiserver.auth.User;

/** Lets requests in: who asks, as whom, and whether they may (upstream: the filters of {@code apiserver/pkg/server/config.go}). */
final class Gate {
    private final Authenticator authenticator;
    private final Authorizer authorizer;

    Gate(Authenticator authenticator, Authorizer authorizer) {
        this.authenticator = authenticator;
        this.authorizer = authorizer;
    }

    /**
     * The request, with its user.
     *
     * @throws ApiException 401 if nobody knows who asks, 403 if they may not, 400 if they ask as nobody in particular
     */
    ApiRequest admit(ApiRequest request, RequestInfo about) {
        User user = user(request);
        require(user, about);
        return request.withUser(user);
    }

    private User user(ApiRequest request) {
        User user;
        try {
            user = authenticator.authenticate(request.credentials());
        } catch (UnauthorizedException e) {
            throw Errors.unauthorized();
        }
        @Nullable
        Impersonation asked = Impersonation.of(request.credentials());
        if (asked == null) {
            return user;
        }
        if (asked.user().isEmpty()) {
            throw Errors.badRequest("requested " + asked + " without impersonating a user name");
        }
        for (RequestInfo right : asked.needed()) {
            require(user, right);
        }
        return asked.as();
    }

    private void require(User user, RequestInfo about) {
        Decision decision = authorizer.authorize(user, about);
        if (!decision.allowed()) {
            throw Errors.forbidden(about, user, decision.reason());
        }
    }
}
