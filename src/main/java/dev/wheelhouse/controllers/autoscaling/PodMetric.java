package dev.wheelhouse.controllers.autoscaling;

import java.time.Duration;
import java.time.Instant;

/**
 * A metric of a pod.
 *
 * @param at the end of the window in which it was measured
 * @param milli the value in thousandths
 */
record PodMetric(Instant at, Duration window, long milli) {}
