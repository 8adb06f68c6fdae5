/**
 * The sources of a node's pods: files, a URL and the API server, merged into one ordered stream of changes. Pods from
 * files and URLs are static: no API server is needed to run them. A manifest that cannot be used is <em>refused</em>; a
 * pod that is left out of the merge is <em>rejected</em>. Each source sends full sets or single changes to its
 * {@link dev.wheelhouse.podconfig.PodChannel}; the {@code Mux} passes them on. One consumer, the node's
 * {@code SyncLoop}, takes {@link dev.wheelhouse.podconfig.PodUpdate}s from a bounded queue. Start with
 * {@link dev.wheelhouse.podconfig.PodConfig}. Each source and each channel is a loop, on its own virtual thread.
 * {@link dev.wheelhouse.podconfig.PodStorage} guards the merged state with one lock; the pure
 * {@link dev.wheelhouse.podconfig.PodMerge} computes the changes.
 */
@NullMarked
package dev.wheelhouse.podconfig;

import org.jspecify.annotations.NullMarked;
