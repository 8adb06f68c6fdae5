/**
 * Where a node's pods come from: files, a URL, the API server, merged into one ordered stream of changes.
 *
 * <p>In: what each source says, as full sets or single changes, through its channel of the {@code Mux}. Out: the bounded queue
 * of {@code PodUpdate}s, which one {@code SyncLoop} takes. Each source and each channel is a loop, on a virtual thread of its
 * own. {@code PodStorage} owns the merged state, under one lock; the decision itself is the pure {@code PodMerge}.
 */
@NullMarked
package dev.wheelhouse.podconfig;

import org.jspecify.annotations.NullMarked;
