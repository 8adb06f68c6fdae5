/**
 * The Deployment controller. In: Deployments, their ReplicaSets and pods, from the informers' caches, as a {@code DeploymentView}. Out: a list
 * of actions from the pure {@code DeploymentDecision.decide}; the executor carries them out. Worker threads run
 * {@code syncDeployment}, one key on one thread at a time; informer threads run the handlers, which only add keys. All
 * state is on the API server: this package keeps none.
 */
@NullMarked
package dev.wheelhouse.controllers.deployment;

import org.jspecify.annotations.NullMarked;
