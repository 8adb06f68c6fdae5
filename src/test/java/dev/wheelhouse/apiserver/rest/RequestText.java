package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import dev.wheelhouse.apiserver.protocol.ApiRequest;

/** A request as text: a line of method and path, header lines, an empty line, the body. */
final class RequestText {
    private RequestText() {}

    /** @throws ApiException if the query cannot be read */
    static ApiRequest parse(byte[] input) {
        int at = 0;
        String[] line = {"GET", "/"};
        String accept = "application/json";
        String contentType = "application/json";
        for (int number = 0; at < input.length; number++) {
            int end = at;
            while (end < input.length && input[end] != '\n') {
                end++;
            }
            String text = new String(input, at, end - at, StandardCharsets.UTF_8);
            at = Math.min(end + 1, input.length);
            if (number == 0) {
                int space = text.indexOf(' ');
                line = space < 0
                        ? new String[]{"GET", text}
                        : new String[]{text.substring(0, space), text.substring(space + 1)};
            } else if (text.isEmpty()) {
                break;
            } else if (text.startsWith("Accept: ")) {
                accept = text.substring("Accept: ".length());
            } else if (text.startsWith("Content-Type: ")) {
                contentType = text.substring("Content-Type: ".length());
            }
        }
        return ApiRequest.of(line[0], line[1], contentType, Arrays.copyOfRange(input, at, input.length))
                .withAccept(accept);
    }
}
