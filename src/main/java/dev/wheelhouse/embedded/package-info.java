/**
 * The parts that make an API server and controllers a whole cluster in one process:
 * {@link dev.wheelhouse.embedded.HollowCluster} puts hollow nodes, a scheduler, a provisioner and a balancer together.
 * A hollow node is a node agent that simulates its pods instead of running containers; the provisioner makes volumes
 * that store nothing; the balancer gives out addresses to which nothing listens. The embedded mode of the service and
 * {@code @EmbeddedApiServer} tests start it. The caches of all but the nodes come from the caller's informer factory
 * and outlive the cluster; the threads are the cluster's own.
 */
@NullMarked
package dev.wheelhouse.embedded;

import org.jspecify.annotations.NullMarked;
