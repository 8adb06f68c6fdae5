/**
 * The garbage collector: it deletes objects whose owners do not exist, and carries out foreground deletion and
 * orphaning (upstream: {@code pkg/controller/garbagecollector}). It reads the metadata of all objects whose types can
 * be listed, watched and deleted. It writes deletes, and patches of owner references and finalizers. Start with
 * {@link dev.wheelhouse.controllers.garbagecollector.GarbageCollector}. {@code DependencyGraph} and {@code Decisions}
 * are pure; a decision that needs an object's live state returns a question, and is repeated with the answer.
 * {@code GraphKeeper} guards the graph with one lock: informers' threads change it, workers read copies. One loop
 * follows discovery.
 */
@NullMarked
package dev.wheelhouse.controllers.garbagecollector;

import org.jspecify.annotations.NullMarked;
