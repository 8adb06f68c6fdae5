package dev.wheelhouse.workqueue;

import java.time.Duration;

/**
 * The state of a queue at one moment.
 *
 * @param depth the keys that are ready to be taken
 * @param delayed the keys that are due later
 * @param processing the keys that workers have taken and not finished
 * @param unfinishedWork the sum of the processing times, so far, of the keys in processing
 * @param longestRunning the longest of these times; if it keeps growing, a worker is stuck
 * @param taken the number of times that a worker took a key since the queue was created
 */
public record WorkQueueState(int depth, int delayed, int processing, Duration unfinishedWork,
        Duration longestRunning, long taken) {}
