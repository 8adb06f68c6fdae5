package dev.wheelhouse.facts;

import java.lang.ref.SoftReference;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Resources;

/**
 * The texts that {@code kubectl explain} shows for types and fields. Safe for use by many threads.
 *
 * <p>The first look-up reads the texts. A soft reference holds them, so they are read again after memory was short.
 */
public final class Descriptions {
    private static volatile SoftReference<Map<String, String>> known = new SoftReference<>(null);

    private Descriptions() {}

    /**
     * The texts of a type's fields by field name, and the type's own text under {@code -}. Empty if the type has no
     * texts. For a kind, the map includes the fields that all kinds share, such as {@code metadata}.
     */
    public static Map<String, String> of(TypeSchema type) {
        @Nullable
        Map<String, String> blocks = known.get();
        if (blocks == null) {
            blocks = read();
            known = new SoftReference<>(blocks);
        }
        Map<String, String> texts = new HashMap<>();
        if (!type.kinds().isEmpty()) {
            add(blocks.getOrDefault("*", ""), texts);
        }
        add(blocks.getOrDefault(type.name(), ""), texts);
        return texts;
    }

    private static void add(String block, Map<String, String> texts) {
        block.lines().forEach(line -> {
            String[] columns = line.split("\t", 3);
            texts.put(columns[1], columns[2].translateEscapes());
        });
    }

    /** The lines of each type by its name; {@code *} stands for all kinds. */
    private static Map<String, String> read() {
        String text = Resources.text(Descriptions.class, "descriptions.tsv");
        Map<String, String> blocks = new HashMap<>();
        int start = 0;
        while (start < text.length()) {
            String type = text.substring(start, text.indexOf('\t', start) + 1);
            int end = start;
            while (text.startsWith(type, end)) {
                end = text.indexOf('\n', end) + 1;
            }
            blocks.put(type.strip(), text.substring(start, end));
            start = end;
        }
        return blocks;
    }
}
