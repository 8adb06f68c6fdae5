/**
 * Which of several processes may act: the one that holds a Lease and renews it in time (upstream: client-go
 * {@code tools/leaderelection}). What to do with a Lease is decided by a pure function; the {@code LeaderElector} carries it out and is
 * the fence, too: who has not renewed in time no longer leads, by its own clock, before anybody else can.
 */
@NullMarked
package dev.wheelhouse.election;

import org.jspecify.annotations.NullMarked;
