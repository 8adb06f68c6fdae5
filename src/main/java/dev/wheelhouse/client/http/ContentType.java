package dev.wheelhouse.client.http;

import java.util.Arrays;
import java.util.stream.Collectors;

/** An encoding that this client may prefer, as {@code --kube-api-content-type} of kube-controller-manager names it. */
public enum ContentType {
    /** For all types. */
    JSON("application/json"),
    /** For built-in types and for metadata alone; JSON for all others, and where the server refuses protobuf. */
    PROTOBUF("application/vnd.kubernetes.protobuf");

    private final String mediaType;

    ContentType(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The media type in HTTP's headers. */
    public String mediaType() {
        return mediaType;
    }

    /** @throws IllegalArgumentException if the media type is none of these */
    public static ContentType of(String mediaType) {
        return Arrays.stream(values()).filter(type -> type.mediaType.equals(mediaType)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + mediaType
                        + "\" is no content type of requests: write " + Arrays.stream(values())
                                .map(ContentType::mediaType).collect(Collectors.joining(" or "))));
    }
}
