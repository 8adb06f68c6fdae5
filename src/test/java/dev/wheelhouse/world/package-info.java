/**
 * The world of tests about behaviour: an API server, a client with faults, informers and a clock, stepped by one
 * thread.
 */
@org.jspecify.annotations.NullMarked
package dev.wheelhouse.world;
