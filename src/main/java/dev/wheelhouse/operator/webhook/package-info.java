/**
 * Webhooks of operators: methods with {@link dev.wheelhouse.operator.webhook.Validates},
 * {@link dev.wheelhouse.operator.webhook.Mutates} or {@link dev.wheelhouse.operator.webhook.Converts}.
 * {@link dev.wheelhouse.operator.webhook.Webhooks} finds them and makes the configurations that name them;
 * {@link dev.wheelhouse.operator.webhook.WebhookServer} serves them over TLS, on every replica, with certificates that
 * it makes and rotates itself.
 */
@NullMarked
@PublicApi
package dev.wheelhouse.operator.webhook;

import org.jspecify.annotations.NullMarked;

import dev.wheelhouse.api.PublicApi;
