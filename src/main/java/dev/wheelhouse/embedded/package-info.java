/**
 * The parts that make an API server and controllers a whole cluster in one process:
 * {@link dev.wheelhouse.embedded.HollowCluster} puts hollow nodes and a scheduler together. A hollow node is a node
 * agent that simulates its pods instead of running containers. The embedded mode of the service and
 * {@code @EmbeddedApiServer} tests start it. The caches of the scheduler come from the caller's informer factory and
 * outlive the cluster; the threads of nodes and scheduler are its own.
 */
@NullMarked
package dev.wheelhouse.embedded;

import org.jspecify.annotations.NullMarked;
