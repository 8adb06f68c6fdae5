/**
 * Leader election: of several processes, only the one that holds a Lease, and renews it in time, may write (upstream:
 * client-go {@code tools/leaderelection}). Start with {@link dev.wheelhouse.election.Leadership}, which any thread may
 * ask before a write, and {@link dev.wheelhouse.election.LeaderElector}, the loop that reads and writes the Lease.
 * {@code LeaseWatch} wakes that loop on a standby when the Lease is free. A pure function,
 * {@code ElectionDecision.decide}, chooses each step. By its own clock, a leader stops leading before another process
 * can start. {@link dev.wheelhouse.election.ShardElector} leads several shards by a Lease each, and shares them with
 * other replicas.
 */
@NullMarked
package dev.wheelhouse.election;

import org.jspecify.annotations.NullMarked;
