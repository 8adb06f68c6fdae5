/**
 * Calls of webhooks over HTTPS: {@link dev.wheelhouse.apiserver.webhook.WebhookClient} sends a review, and
 * {@link dev.wheelhouse.apiserver.webhook.Conversion} uses it for custom resources. Answers are hostile input: their
 * size, their time and their redirects are bounded. A call runs on the thread of its request, under no lock.
 */
@NullMarked
package dev.wheelhouse.apiserver.webhook;

import org.jspecify.annotations.NullMarked;
