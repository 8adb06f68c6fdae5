/**
 * Says of each PodDisruptionBudget how many of its pods may be disrupted at present (upstream: {@code pkg/controller/disruption}).
 *
 * <p>In flow budgets, pods and the workloads that own pods, from their informers; out flow the budgets' statuses, which the eviction
 * subresource of the API server spends. {@code DisruptionDecisions} is pure. Workers run in the threads of their loops; the only state is
 * the queue.
 */
@NullMarked
package dev.wheelhouse.controllers.disruption;

import org.jspecify.annotations.NullMarked;
