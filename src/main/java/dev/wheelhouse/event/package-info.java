/**
 * Kubernetes Events, which users read with {@code kubectl describe}. Any thread records Events with an
 * {@link dev.wheelhouse.event.EventRecorder}, which never waits and never throws. The
 * {@link dev.wheelhouse.event.EventBroadcaster} makes the recorders; its loop limits the Events and writes them to the
 * API server as {@code core/v1} Events. Its buffer of waiting Events and its memory of written ones are bounded. Start
 * with {@code EventRecorder}.
 */
@NullMarked
package dev.wheelhouse.event;

import org.jspecify.annotations.NullMarked;
