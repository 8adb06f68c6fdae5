/**
 * Authentication and authorization. {@link dev.wheelhouse.apiserver.auth.Security} holds the settings and creates, for
 * a store, the {@link dev.wheelhouse.apiserver.auth.Authenticator}, which finds the
 * {@link dev.wheelhouse.apiserver.auth.User} of {@link dev.wheelhouse.apiserver.auth.Credentials}, and the
 * {@link dev.wheelhouse.apiserver.auth.Authorizer}, which decides whether this user may do what a
 * {@link dev.wheelhouse.apiserver.auth.RequestInfo} describes. Roles and bindings are read from the store, so a change
 * takes effect with the next request.
 *
 * <p>{@link dev.wheelhouse.apiserver.auth.ServerKeys} keeps the server's own secrets, from which its tokens and
 * certificates come. The package answers no requests and starts no threads. All public types are thread safe.
 */
@NullMarked
package dev.wheelhouse.apiserver.auth;

import org.jspecify.annotations.NullMarked;
