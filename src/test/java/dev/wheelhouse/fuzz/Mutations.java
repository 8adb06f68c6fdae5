package dev.wheelhouse.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * An endless sequence of inputs made of a corpus: bytes changed, parts removed, repeated, replaced by parts of another
 * input or by text that readers often get wrong. The same corpus and seed give the same sequence.
 */
final class Mutations {
    private static final int MOST_STEPS = 5;
    private static final int LONGEST_PART = 40;
    private static final int LONGEST_INPUT = 8192;
    private static final List<String> DIFFICULT = List.of("", "0", "-1", "9223372036854775808", "1e999999999", "NaN",
            "null",
            "true", "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", "[[[[[[[[", "{}", ":", ",", "\n", "\r\n",
            "\t",
            "\0", "%00", "%zz", "..", "/", "//", "&a=*b", "*b", "!!binary", "---\n", "=", "!=", " in (", ")", "\u00ff",
            "\u2028", "\ud83d\ude00");

    private final List<byte[]> corpus;
    private final Random random;

    Mutations(List<Corpus.Input> corpus, long seed) {
        this.corpus = corpus.stream().map(Corpus.Input::bytes).filter(bytes -> bytes.length <= LONGEST_INPUT).toList();
        this.random = new Random(seed);
    }

    byte[] next() {
        byte[] input = oneOf(corpus);
        for (int steps = 1 + random.nextInt(MOST_STEPS); steps > 0; steps--) {
            input = step(input);
        }
        return input;
    }

    private byte[] step(byte[] input) {
        int from = random.nextInt(input.length + 1);
        int to = from + random.nextInt(Math.min(LONGEST_PART, input.length - from) + 1);
        return switch (random.nextInt(6)) {
            case 0 -> replace(input, from, to, new byte[0]);
            case 1 -> replace(input, from, from, part(input, from, to));
            case 2 -> replace(input, from, to, oneOf(DIFFICULT).getBytes(StandardCharsets.UTF_8));
            case 3 -> replace(input, from, from, oneOf(DIFFICULT).getBytes(StandardCharsets.UTF_8));
            case 4 -> {
                byte[] other = oneOf(corpus);
                int start = random.nextInt(other.length + 1);
                yield replace(input, from, to,
                        part(other, start, start + random.nextInt(Math.min(LONGEST_PART, other.length - start) + 1)));
            }
            default -> replace(input, from, Math.min(from + 1, input.length), new byte[]{(byte) random.nextInt(256)});
        };
    }

    private <T> T oneOf(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    private static byte[] replace(byte[] input, int from, int to, byte[] by) {
        byte[] out = new byte[input.length - (to - from) + by.length];
        System.arraycopy(input, 0, out, 0, from);
        System.arraycopy(by, 0, out, from, by.length);
        System.arraycopy(input, to, out, from + by.length, input.length - to);
        return out;
    }
}
