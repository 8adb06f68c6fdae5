/**
 * The Deployment controller. It reads Deployments, their ReplicaSets and pods from the informers' caches, as a
 * {@code DeploymentView}. The pure function {@code DeploymentDecision.decide} returns the actions, which the run of the
 * sync executes. Start with {@link dev.wheelhouse.controllers.deployment.DeploymentController}. Worker threads sync,
 * one thread per key at a time; the informers' threads run the handlers, which only enqueue keys. The package keeps no
 * state: all state is on the API server.
 */
@NullMarked
package dev.wheelhouse.controllers.deployment;

import org.jspecify.annotations.NullMarked;
