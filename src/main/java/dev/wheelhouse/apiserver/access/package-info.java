/**
 * The users and rights that other services say: tokens of OpenID providers, webhooks for authentication and
 * authorization. Start with {@link dev.wheelhouse.apiserver.access.AuthenticationConfig} and
 * {@link dev.wheelhouse.apiserver.access.AuthorizationConfig}, which read the files that kube-apiserver takes.
 *
 * <p>Each answer of a service is bounded in size and time, and so is the number of answers that are kept.
 */
@NullMarked
package dev.wheelhouse.apiserver.access;

import org.jspecify.annotations.NullMarked;
