package dev.wheelhouse.node;

import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.runtime.Hashes;

/**
 * Decides which images hollow nodes can "pull": all images, except those with one of these signs in the name. The
 * registry host ends in {@code .invalid}. Or the tag is {@code 404} or {@code 1.161} (the typing error in the
 * Kubernetes documentation's failed rollout). Or the tag contains one of the words bad, broken, invalid, missing,
 * nonexistent, non-existent or does-not-exist.
 */
public final class HollowImages {
    private static final Pattern REFERENCE = Pattern
            .compile("(?:[A-Za-z0-9.-]+(?::\\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*"
                    + "(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?");
    private static final Pattern WORDS = Pattern.compile("[._-]");
    private static final Set<String> BAD_TAGS = Set.of("404", "1.161");
    private static final Set<String> BAD_WORDS = Set.of("bad", "broken", "invalid", "missing", "nonexistent");

    private HollowImages() {}

    /** Whether the text is an image reference. */
    public static boolean isReference(String image) {
        return image.length() <= 1024 && REFERENCE.matcher(image).matches();
    }

    /** Why an image cannot be pulled; null if it can. */
    static @Nullable String whyNotPullable(String image) {
        String host = image.contains("/") ? image.substring(0, image.indexOf('/')) : "";
        int port = host.indexOf(':');
        if ((port < 0 ? host : host.substring(0, port)).endsWith(".invalid")) {
            return "failed to resolve reference \"" + qualified(image) + "\": no such host: " + host;
        }
        String tag = tag(image);
        boolean bad = BAD_TAGS.contains(tag) || tag.contains("does-not-exist") || tag.contains("non-existent");
        for (String word : WORDS.split(tag)) {
            bad |= BAD_WORDS.contains(word);
        }
        return bad ? "failed to resolve reference \"" + qualified(image) + "\": not found" : null;
    }

    private static String tag(String image) {
        int at = image.indexOf('@');
        String name = at < 0 ? image : image.substring(0, at);
        int colon = name.lastIndexOf(':');
        return colon > name.lastIndexOf('/') ? name.substring(colon + 1) : at < 0 ? "latest" : "";
    }

    /** The name with registry and tag, such as {@code docker.io/library/nginx:latest}. */
    static String qualified(String image) {
        int slash = image.indexOf('/');
        String host = slash < 0 ? "" : image.substring(0, slash);
        boolean hasHost = host.contains(".") || host.contains(":") || host.equals("localhost");
        String named = hasHost ? image : "docker.io/" + (slash < 0 ? "library/" : "") + image;
        return tag(image).equals("latest") && !image.endsWith(":latest") ? named + ":latest" : named;
    }

    /** A substitute for the image's digest: a hash of the image's name. */
    static String id(String image) {
        String qualified = qualified(image);
        int tag = qualified.lastIndexOf(':');
        String name = tag > qualified.lastIndexOf('/') ? qualified.substring(0, tag) : qualified;
        return name + "@sha256:" + Hashes.sha256(qualified);
    }
}
