package dev.wheelhouse.workqueue;

import java.time.Duration;

/**
 * A queue at one moment.
 *
 * @param depth keys that are ready to be taken
 * @param delayed keys that will be due later
 * @param processing keys that workers have taken and not ended
 * @param unfinishedWork the sum of the times that those have taken so far
 * @param longestRunning the longest of these times; one that grows without end is a stuck worker
 */
public record WorkQueueState(int depth, int delayed, int processing, Duration unfinishedWork,
        Duration longestRunning) {}
