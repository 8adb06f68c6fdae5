/**
 * The ports to an API server, and the values that pass through them. {@link dev.wheelhouse.client.KubeClient} is a
 * connection, {@link dev.wheelhouse.client.ResourceClient} reads and writes one resource type, and
 * {@link dev.wheelhouse.client.ListerWatcher} feeds an informer. {@code client.http} implements them over HTTP,
 * {@code apiserver} in process. {@link dev.wheelhouse.client.CollectionQuery} and
 * {@link dev.wheelhouse.client.LastApplied} hold the rules that both implementations share.
 * {@link dev.wheelhouse.client.ModelJson} reads, writes and copies the official client's model objects.
 */
@NullMarked
package dev.wheelhouse.client;

import org.jspecify.annotations.NullMarked;
