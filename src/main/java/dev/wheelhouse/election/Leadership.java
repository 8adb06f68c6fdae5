package dev.wheelhouse.election;

/** Whether this process may act. Thread safe. */
public interface Leadership {
    /** That of a process that is alone. */
    Leadership ALONE = new Leadership() {
        @Override
        public boolean isLeader() {
            return true;
        }

        @Override
        public boolean isKnown() {
            return true;
        }

        @Override
        public String standing() {
            return "it is alone";
        }
    };

    /** Whether it leads at this moment. To be asked before every write, as a lead that is not renewed ends by itself. */
    boolean isLeader();

    /** Whether it is known who leads, this process or another. */
    boolean isKnown();

    /** In a few words, who leads, and if it is unknown, why. */
    String standing();
}
