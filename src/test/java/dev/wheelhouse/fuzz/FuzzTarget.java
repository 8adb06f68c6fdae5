package dev.wheelhouse.fuzz;

/**
 * One reader of untrusted bytes, and the properties that hold for any input. It is run with mutated inputs, and with
 * those of {@code src/test/resources/fuzz/NAME}. Used by one thread at a time.
 */
public interface FuzzTarget {

    /**
     * Reads the input and judges what came of it.
     *
     * @throws Throwable any at all is a finding; a documented refusal of bad bytes is caught by the target
     */
    void run(byte[] input) throws Throwable;

    /** The bytes that reading this many may allocate. */
    default long mostAllocated(int length) {
        return (32L << 20) + 1024L * length;
    }

    /** The CPU time, in nanoseconds, that reading this many bytes may take, instrumented and on a busy machine. */
    default long mostNanos(int length) {
        return 1_500_000_000L + 5_000L * length;
    }
}
