/**
 * The whole system on one thread: the embedded API server without sockets, informers, controllers and Events, stepped in a fixed
 * or a seeded order by a clock that the test moves. {@link dev.wheelhouse.simulation.GoldenScenarioTest} replays what a real
 * control plane was recorded to do; {@link dev.wheelhouse.simulation.SimulationTest} draws workloads and faults from seeds.
 */
@NullMarked
package dev.wheelhouse.simulation;

import org.jspecify.annotations.NullMarked;
