package dev.wheelhouse.apiserver.json;

/** An object has, or is about to get, more bytes than are stored of one. The message says so in etcd's words, which clients look for. */
public final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The most bytes of one object, as upstream: etcd's limit for a request ({@code embed.DefaultMaxRequestBytes}). */
    public static final int MOST_BYTES = 3 * 512 * 1024;

    /** @param what has how many bytes, as {@code configmaps default/a has 1600000 bytes} */
    public TooLargeException(String what) {
        super("etcdserver: request is too large: " + what + ", and " + MOST_BYTES
                + " are stored of one object: make it smaller, or split it into several");
    }
}
