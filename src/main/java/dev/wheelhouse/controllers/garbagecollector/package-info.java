/**
 * Deletes what has lost its owners (upstream: {@code pkg/controller/garbagecollector}).
 *
 * <p>In flow the metadata of every object whose type can be listed, watched and deleted, and what discovery says of types; out
 * flow deletes and patches of owner references and finalizers. {@link DependencyGraph} and {@code Decisions} are pure; a
 * decision that needs the live state of an object asks for it and is asked again. The graph belongs to
 * {@code GraphKeeper}, under one lock; informers' threads change it, workers read copies. One loop follows discovery.
 */
@NullMarked
package dev.wheelhouse.controllers.garbagecollector;

import org.jspecify.annotations.NullMarked;
