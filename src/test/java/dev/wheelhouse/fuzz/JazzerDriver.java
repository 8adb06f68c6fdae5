package dev.wheelhouse.fuzz;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The face that Jazzer sees of the targets that the property {@code fuzz.targets} names, parted by commas. Of several,
 * the first byte of an input chooses one.
 */
public final class JazzerDriver {
    private static final List<String> NAMES = List.of(System.getProperty("fuzz.targets", "").split(","));
    /** One in so many inputs is run once more, made long; 0 for none. */
    private static final int STRETCHED = Integer.getInteger("fuzz.stretched", 0);
    private static final int LONG = 256 * 1024;
    private static final int LONGEST = 3 * 1024 * 1024;

    private static List<FuzzTarget> targets = List.of();

    private JazzerDriver() {}

    /**
     * Makes the targets, and runs each with its corpus: loading and instrumenting classes takes longer than any input
     * may.
     */
    public static void fuzzerInitialize() throws IOException {
        targets = NAMES.stream().map(FuzzTargets::named).toList();
        for (int i = 0; i < NAMES.size(); i++) {
            FuzzTarget target = targets.get(i);
            for (Corpus.Input input : Corpus.of(NAMES.get(i))) {
                try {
                    target.run(input.bytes());
                } catch (Throwable e) {
                    // The run itself will find it.
                }
            }
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws Throwable {
        if (targets.size() == 1) {
            run(targets.getFirst(), input);
        } else if (input.length > 0) {
            run(targets.get((input[0] & 0xff) % targets.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }

    private static void run(FuzzTarget target, byte[] input) throws Throwable {
        Cost.run(target, input);
        if (Stretch.isChosen(input, STRETCHED)) {
            Cost.run(target, Stretch.to(Stretch.isChosen(input, 8 * STRETCHED) ? LONGEST : LONG, input));
        }
    }
}
