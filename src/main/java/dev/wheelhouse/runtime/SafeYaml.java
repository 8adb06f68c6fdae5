package dev.wheelhouse.runtime;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads untrusted YAML within limits. The program reads all YAML by this class. No tag creates an object other than
 * lists, maps and scalars. Reading throws a {@code YAMLException} if a text breaks a limit or is not YAML, and an
 * {@code IllegalArgumentException} if a tag is malformed. Thread safe.
 */
public final class SafeYaml {
    private static final int MOST_DEPTH = 100;

    private SafeYaml() {}

    /**
     * The limits of one kind of text. In addition, a collection may be nested in at most 100 others.
     *
     * @param mostCharacters the limit of a document's length in code points; checked at each token, so the last token
     *     may exceed it
     * @param mostAliases the most aliases of lists and maps in one document
     */
    public static LoaderOptions limits(int mostCharacters, int mostAliases) {
        LoaderOptions limits = new LoaderOptions();
        limits.setCodePointLimit(mostCharacters);
        limits.setMaxAliasesForCollections(mostAliases);
        limits.setNestingDepthLimit(MOST_DEPTH);
        limits.setAllowRecursiveKeys(false);
        // Each caller decides on keys that occur twice.
        limits.setAllowDuplicateKeys(true);
        limits.setWarnOnDuplicateKeys(false);
        return limits;
    }

    /** The documents of a text as nodes. Each document is parsed when the caller asks for it. */
    public static Composer compose(String yaml, LoaderOptions limits, Resolver resolver) {
        return new Composer(new ParserImpl(new YamlCodePoints(yaml), limits), resolver, limits);
    }

    /**
     * The value of a text that has one document; null if it has none.
     *
     * @param constructor made with the same limits
     */
    public static @Nullable Object load(String yaml, LoaderOptions limits, Resolver resolver,
            SafeConstructor constructor) {
        constructor.setComposer(compose(yaml, limits, resolver));
        return constructor.getSingleData(Object.class);
    }
}
