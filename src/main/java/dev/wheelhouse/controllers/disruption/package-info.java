/**
 * The disruption controller: it computes for each PodDisruptionBudget how many of its pods may be disrupted now
 * (upstream: {@code pkg/controller/disruption}), and ends the mark of pods that were to be disrupted and were not. It
 * reads budgets, pods and the workloads that own pods from the informers' caches, and other owners' scales from the API
 * server. It writes the budgets' statuses, which the API server's eviction subresource consumes. Start with
 * {@link dev.wheelhouse.controllers.disruption.DisruptionController}; {@code DisruptionDecisions} is the pure decision.
 * The workers run on the threads of their loops. The only state is the queues.
 */
@NullMarked
package dev.wheelhouse.controllers.disruption;

import org.jspecify.annotations.NullMarked;
