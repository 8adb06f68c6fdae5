package dev.wheelhouse.election;

/** The work of a process on the shards that it leads. */
@FunctionalInterface
public interface ShardWork {
    /**
     * Begins the work of a shard. The loop of the {@link ShardElector} calls it, so it must not block.
     *
     * @param shard from 0 to {@code shards - 1}
     * @param lead the lead of this shard. It ends for good when the Lease is lost, or when the shard is to be given
     *     back; ask it before every write
     */
    Tenure begin(int shard, int shards, Leadership lead);

    /** The work of one shard, from the beginning of its lead. */
    @FunctionalInterface
    interface Tenure {
        /**
         * Ends the work. The lead has ended before the first call. The Lease is freed after this method has returned
         * true.
         *
         * @return whether all of the work has ended; otherwise the elector asks again soon
         */
        boolean end();
    }
}
