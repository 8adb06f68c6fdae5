/**
 * The official Java client's types on this engine: its {@code SharedInformerFactory}, informers, indexers, and the controllers of
 * its Spring integration. In flow its annotations and handlers, out flow calls of them with cached objects. Threads are those of
 * one {@link dev.wheelhouse.runtime.LoopRunner} that each factory owns; the factory owns its caches, shared with nobody.
 */
@NullMarked
package dev.wheelhouse.spring.client;

import org.jspecify.annotations.NullMarked;
