package dev.wheelhouse.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Makes a long input of a short one by repeating a part of it, so that quadratic cost shows. The same input is always
 * stretched in the same way.
 */
final class Stretch {
    private static final String SEPARATORS = ",\n&;/ {[(";
    private static final int LONGEST_PART = 200;

    private Stretch() {}

    /** Whether an input is among one in so many; 0 for none. */
    static boolean isChosen(byte[] input, int oneIn) {
        return oneIn > 0 && input.length > 3 && Math.floorMod(Arrays.hashCode(input) * 0x9E3779B9 >>> 4, oneIn) == 0;
    }

    static byte[] to(int length, byte[] input) {
        Random random = new Random(Arrays.hashCode(input));
        int from = random.nextInt(input.length);
        int to = from + 1 + random.nextInt(Math.min(LONGEST_PART, input.length - from));
        if (random.nextInt(4) > 0) {
            // From one separator to the next of its kind: the whole may then be as well-formed as before.
            List<Integer> places = new ArrayList<>();
            byte separator = (byte) SEPARATORS.charAt(random.nextInt(SEPARATORS.length()));
            for (int i = 0; i < input.length; i++) {
                if (input[i] == separator) {
                    places.add(i);
                }
            }
            if (places.size() > 1) {
                int first = random.nextInt(places.size() - 1);
                from = places.get(first);
                to = places.get(first + 1);
            }
        }
        byte[] out = new byte[Math.max(length, input.length)];
        int tail = input.length - to;
        System.arraycopy(input, 0, out, 0, to);
        int end = out.length - tail;
        for (int at = to; at < end; at += to - from) {
            System.arraycopy(input, from, out, at, Math.min(to - from, end - at));
        }
        System.arraycopy(input, to, out, end, tail);
        return out;
    }
}
