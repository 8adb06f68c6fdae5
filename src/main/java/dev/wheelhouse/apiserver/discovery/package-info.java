/**
 * The documents by which clients learn what the server serves. {@link dev.wheelhouse.apiserver.discovery.Discovery}
 * lists groups, versions and resources; {@link dev.wheelhouse.apiserver.discovery.OpenApi} describes their types and
 * paths. Both read a {@link dev.wheelhouse.apiserver.resources.ResourceRegistry}; types and the texts of
 * {@code kubectl explain} come from {@code facts}.
 *
 * <p>Documents are created by the first request that needs them and cached until the registry changes. Schemas of
 * built-in types are cached for the life of the process. All callers share the documents and must not change them. The
 * package starts no threads.
 */
@NullMarked
package dev.wheelhouse.apiserver.discovery;

import org.jspecify.annotations.NullMarked;
