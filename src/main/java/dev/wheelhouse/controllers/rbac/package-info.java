/**
 * The aggregation of ClusterRoles: a role with an aggregation rule gets the rules of the roles that it selects
 * (upstream: {@code pkg/controller/clusterroleaggregation}). It reads ClusterRoles from the informer's cache, and
 * applies the {@code rules} of the aggregated ones. Start with {@link dev.wheelhouse.controllers.rbac.RoleAggregator},
 * whose {@code decide} is the pure decision. The only state is the queue.
 */
@NullMarked
package dev.wheelhouse.controllers.rbac;

import org.jspecify.annotations.NullMarked;
