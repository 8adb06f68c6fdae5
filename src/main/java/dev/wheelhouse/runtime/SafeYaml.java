package dev.wheelhouse.runtime;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads YAML from outside within limits. All YAML that the program reads passes this class. No tag creates an object
 * other than lists, maps and scalars. A text that breaks a limit or is not YAML ends in a {@code YAMLException}, and a
 * tag that is malformed in an {@code IllegalArgumentException}. Thread safe.
 */
public final class SafeYaml {
    private static final int MOST_DEPTH = 100;

    private SafeYaml() {}

    /**
     * The limits of one kind of text. In each, a collection has at most 100 others around it.
     *
     * @param mostCharacters the code points after which a document may have no further token
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

    /** The documents of a text as nodes, which are parsed as they are asked for. */
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
