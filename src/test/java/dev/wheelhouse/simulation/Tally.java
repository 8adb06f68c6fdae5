package dev.wheelhouse.simulation;

/**
 * Counts over several runs.
 *
 * @param managers the managers that were started
 * @param lateWrites the writes of deposed managers
 * @param lateRefused those of these writes that were refused
 * @param lateCreates those of these writes that created something
 * @param lateDeletes those of these writes that deleted a pod that was unchanged since it was read
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
