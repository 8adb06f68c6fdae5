/**
 * What clients ask before they ask for objects: discovery and OpenAPI. In flow the resource registry and the schemas, out flow JSON
 * documents (and one protobuf message). Documents are made on the thread of the first request that needs them and kept until the
 * registry changes; they are shared, so nobody may change what he is given. The only state is these caches, replaced as a whole.
 */
@NullMarked
package dev.wheelhouse.apiserver.discovery;

import org.jspecify.annotations.NullMarked;
