package dev.wheelhouse.simulation;

/**
 * What runs had in them.
 *
 * @param managers that were started
 * @param lateWrites that managers tried after they were deposed
 * @param lateRefused those of them that were refused
 * @param lateCreates those of them that created something
 * @param lateDeletes those of them that ended a pod that was still the one that had been read
 */
record Tally(int managers, int lateWrites, int lateRefused, int lateCreates, int lateDeletes) {
    static final Tally NONE = new Tally(0, 0, 0, 0, 0);

    Tally plus(Tally other) {
        return new Tally(managers + other.managers, lateWrites + other.lateWrites, lateRefused + other.lateRefused,
                lateCreates + other.lateCreates, lateDeletes + other.lateDeletes);
    }

    @Override
    public String toString() {
        return managers + " managers; writes of deposed ones: " + lateWrites + ", of which " + lateRefused
                + " were refused, " + lateCreates + " created and " + lateDeletes + " ended a pod";
    }
}
