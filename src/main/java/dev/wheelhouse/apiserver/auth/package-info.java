/**
 * Who asks, and what they may do: authentication by token and certificate, impersonation, and role-based access control over
 * the roles and bindings in the store. In flow credentials and what a request is about, out flow users and decisions. Nothing
 * here answers a request, and no thread is started. Everything is thread safe.
 */
@NullMarked
package dev.wheelhouse.apiserver.auth;

import org.jspecify.annotations.NullMarked;
