package dev.wheelhouse.election;

import java.time.Duration;
import java.util.Map;

import dev.wheelhouse.api.ObjectKey;

/**
 * The options of an election (upstream: client-go {@code LeaderElectionConfig}).
 *
 * @param lease the Lease that the leader holds
 * @param identity the name of this contender; it must be unique among the contenders
 * @param leaseDuration the time after which other contenders take the Lease if they see no renewal; a fraction of a
 *     second does not count, because a Lease has whole seconds
 * @param renewDeadline the time after its last renewal for which a leader still leads
 * @param retryPeriod the time between two renewals; standbys wait one to 2.2 times this between two attempts to acquire
 * @param labels labels that this contender adds to the Lease when it writes it
 */
public record ElectionOptions(ObjectKey lease, String identity, Duration leaseDuration, Duration renewDeadline,
        Duration retryPeriod, Map<String, String> labels) {
    /** The largest random addition to a standby's wait, as a multiple of the retry period. */
    static final double JITTER = 1.2;
    /** The largest random addition to the wait for a Lease that becomes free, as a multiple of the retry period. */
    static final double SHORT_JITTER = 0.1;

    /** Options for a Lease without labels. See the other constructor for the errors. */
    public ElectionOptions(ObjectKey lease, String identity, Duration leaseDuration, Duration renewDeadline,
            Duration retryPeriod) {
        this(lease, identity, leaseDuration, renewDeadline, retryPeriod, Map.of());
    }

    /**
     * @throws IllegalArgumentException if a name is empty, or the durations do not fit together; the message starts
     *     with the name of a wrong one
     */
    public ElectionOptions {
        requireName("resource-name", lease.name());
        requireName("resource-namespace", lease.namespace());
        requireName("identity", identity);
        if (leaseDuration.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "lease-duration is " + text(leaseDuration) + ": it must be a second or more");
        }
        if (retryPeriod.isNegative() || retryPeriod.isZero()) {
            throw new IllegalArgumentException(
                    "retry-period is " + text(retryPeriod) + ": it must be longer than zero");
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

    private static void requireName(String option, String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(option + " is empty: it must name "
                    + (option.equals("identity") ? "this contender, or two of them could lead at once" : "the Lease"));
        }
    }

    /** These options for another Lease in the same namespace, with labels. */
    ElectionOptions of(String name, Map<String, String> with) {
        return new ElectionOptions(ObjectKey.of(lease.namespace(), name), identity, leaseDuration, renewDeadline,
                retryPeriod, with);
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    int leaseSeconds() {
        return (int) Math.min(Integer.MAX_VALUE, leaseDuration.toSeconds());
    }
}
