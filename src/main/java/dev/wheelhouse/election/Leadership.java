package dev.wheelhouse.election;

/** Tells whether this process may write. Thread safe. */
public interface Leadership {
    /** The leadership of a process without other contenders: it always leads. */
    Leadership ALONE = new Leadership() {
        @Override
        public boolean isLeader() {
            return true;
        }

        @Override
        public void whenLeading(Runnable action) {
            action.run();
        }

        @Override
        public void whenLost(Runnable action) {}

        @Override
        public boolean isLeaderKnown() {
            return true;
        }

        @Override
        public String describeLeader() {
            return "this process leads; there is no election";
        }
    };

    /**
     * Whether this process leads at this moment. Ask before every write, because a lead that is not renewed ends by
     * itself.
     */
    boolean isLeader();

    /**
     * Calls an action once, as soon as this process begins to lead: at once if it has begun. Otherwise the elector's
     * loop calls the action, so it must not block.
     */
    void whenLeading(Runnable action);

    /**
     * Calls an action once, as soon as this process has lost the lead, which is for good. The elector's loop calls it,
     * so it must not block. {@link #isLeader} may be false some time before.
     */
    void whenLost(Runnable action);

    /** Whether it is known which process leads, be it this one or another. */
    boolean isLeaderKnown();

    /** Names the leader in a few words, or says why it is unknown. For logs and health. */
    String describeLeader();
}
