package dev.wheelhouse.election;

import java.time.Duration;

import dev.wheelhouse.api.ObjectKey;

/**
 * How a lead is contended for (upstream: client-go {@code LeaderElectionConfig}).
 *
 * @param lease the Lease that the leader holds
 * @param identity the name of this contender: no two may have the same
 * @param leaseDuration how long others wait, after they have seen the last renewal, before they take the Lease; whole seconds
 * @param renewDeadline how long a leader leads after its last renewal
 * @param retryPeriod how long to wait between two tries, of a leader to renew and of the others (up to 2.2 times that) to acquire
 */
public record ElectionOptions(ObjectKey lease, String identity, Duration leaseDuration, Duration renewDeadline,
        Duration retryPeriod) {
    static final double JITTER = 1.2;

    /** @throws IllegalArgumentException if the durations do not fit together; the message begins with the one that does not */
    public ElectionOptions {
        if (leaseDuration.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "lease-duration is " + text(leaseDuration) + ": it must be a second or more");
        }
        if (retryPeriod.isNegative() || retryPeriod.isZero()) {
            throw new IllegalArgumentException(
                    "retry-period is " + text(retryPeriod) + ": it must be more than nothing");
        }
        if (renewDeadline.compareTo(retryPeriod.multipliedBy(6).dividedBy(5)) <= 0) {
            throw new IllegalArgumentException("renew-deadline is " + text(renewDeadline)
                    + ": it must be longer than 1.2 times the retry-period, which is " + text(retryPeriod));
        }
        if (Duration.ofSeconds(leaseDuration.toSeconds()).compareTo(renewDeadline) <= 0) {
            throw new IllegalArgumentException("lease-duration is " + text(leaseDuration)
                    + ": it must be longer than the renew-deadline, which is " + text(renewDeadline)
                    + ", or two processes could lead at once");
        }
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    int leaseSeconds() {
        return (int) Math.min(Integer.MAX_VALUE, leaseDuration.toSeconds());
    }
}
