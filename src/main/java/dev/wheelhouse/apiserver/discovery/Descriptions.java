package dev.wheelhouse.apiserver.discovery;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The texts of {@code kubectl explain}, read from {@code descriptions.tsv}. Its columns are type, field ({@code -} for
 * the type itself) and text. The type {@code *} stands for all kinds.
 */
final class Descriptions {
    private static final String RESOURCE = "descriptions.tsv";
    private static final String META = "io.k8s.apimachinery.pkg.apis.";
    private static final String API = "io.k8s.api.";

    private final Map<String, String> texts;

    private Descriptions(Map<String, String> texts) {
        this.texts = texts;
    }

    static Descriptions read() {
        try (InputStream in = Descriptions.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + " is not on the class path beside " + Descriptions.class.getName());
            }
            Map<String, String> texts = new HashMap<>();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
                String[] columns = line.split("\t", 3);
                if (columns.length == 3) {
                    texts.put(columns[0] + " " + columns[1], columns[2]);
                }
            }
            return new Descriptions(texts);
        } catch (IOException e) {
            throw new UncheckedIOException("could not read " + RESOURCE + " from the class path", e);
        }
    }

    /** The description of a type; empty if there is none. */
    String ofType(String typeName) {
        return texts.getOrDefault(shorten(typeName) + " -", "");
    }

    /**
     * The description of a field; empty if there is none.
     *
     * @param isKind whether the type is a kind, with the fields of all kinds
     */
    String ofField(String typeName, boolean isKind, String field) {
        String text = texts.get(shorten(typeName) + " " + field);
        if (text == null && isKind) {
            text = texts.get("* " + field);
        }
        return text == null ? "" : text;
    }

    /** The type's name as in the file: {@code apps.v1.Deployment}, {@code meta.v1.ObjectMeta}. */
    private static String shorten(String typeName) {
        if (typeName.startsWith(API)) {
            return typeName.substring(API.length());
        }
        return typeName.startsWith(META) ? typeName.substring(META.length()) : typeName;
    }
}
