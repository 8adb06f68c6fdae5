package dev.wheelhouse.fuzz;

import java.io.IOException;

/**
 * The face that Jazzer sees of the target that the property {@code fuzz.target} names.
 */
public final class JazzerDriver {
    private static final String NAME = System.getProperty("fuzz.target", "");
    /** One in so many inputs is run once more, made long; 0 for none. */
    private static final int STRETCHED = Integer.getInteger("fuzz.stretched", 0);
    private static final int LONG = 256 * 1024;
    private static final int LONGEST = 3 * 1024 * 1024;

    private static final FuzzTarget TARGET = FuzzTargets.named(NAME);

    private JazzerDriver() {}

    /** Runs the target with its corpus: loading and instrumenting classes takes longer than any input may. */
    public static void fuzzerInitialize() throws IOException {
        for (Corpus.Input input : Corpus.of(NAME)) {
            try {
                TARGET.run(input.bytes());
            } catch (Throwable e) {
                // The run itself will find it.
            }
        }
    }

    public static void fuzzerTestOneInput(byte[] input) throws Throwable {
        Cost.run(TARGET, input);
        if (Stretch.isChosen(input, STRETCHED)) {
            Cost.run(TARGET, Stretch.to(Stretch.isChosen(input, 8 * STRETCHED) ? LONGEST : LONG, input));
        }
    }
}
