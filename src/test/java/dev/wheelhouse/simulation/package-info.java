/**
 * The whole system on one thread: the embedded API server without sockets, informers, controllers and Events. The tests
 * step it in a fixed or a seeded order, and move its clock. {@link dev.wheelhouse.simulation.SimulationTest} determines
 * workloads and faults by seeds.
 */
@NullMarked
package dev.wheelhouse.simulation;

import org.jspecify.annotations.NullMarked;
