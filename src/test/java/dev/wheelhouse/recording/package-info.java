/**
 * Recordings of a real control plane at work, and their replay. {@link dev.wheelhouse.recording.RecordWorkloadsTest}
 * plays scenarios against a real kube-controller-manager and writes recordings.
 * {@link dev.wheelhouse.recording.RecordedWorkloadsTest} plays the same scenarios on the stepped embedded system with
 * the project's controllers, and compares.
 */
@NullMarked
package dev.wheelhouse.recording;

import org.jspecify.annotations.NullMarked;
