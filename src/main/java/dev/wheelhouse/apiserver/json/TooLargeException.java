package dev.wheelhouse.apiserver.json;

/** An object is larger than the store accepts. The message begins with etcd's words, because clients look for them. */
public final class TooLargeException extends RuntimeException {
    /** The most bytes of an object. It is etcd's limit of a request ({@code embed.DefaultMaxRequestBytes}). */
    public static final int MOST_BYTES = 3 * 512 * 1024;

    /** @param what names the object and its size, as {@code configmaps default/a has 1600000 bytes} */
    public TooLargeException(String what) {
        super("etcdserver: request is too large: " + what + ", and " + MOST_BYTES
                + " are stored of one object: make it smaller, or split it into several");
    }
}
