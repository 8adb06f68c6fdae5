package dev.wheelhouse.apiserver;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Map;

import org.apache.coyote.Response;
import org.apache.coyote.http11.Http11OutputBuffer;
import org.apache.coyote.http11.Http11Processor;
import org.apache.coyote.http11.OutputFilter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the reason phrase into the status line of an answer, as in {@code HTTP/1.1 200 OK}. HTTP allows to leave the
 * phrase out, and Tomcat does so without a setting to change it. But kubectl and people's scripts show and search the
 * line, and the Python client hands the phrase to its users as the reason of an error. This class replaces the output
 * buffer of Tomcat's processor, which is in a private field. If a later Tomcat has no such field, answers lack the
 * phrase and are otherwise the same.
 */
final class ReasonPhrases extends Http11OutputBuffer {
    private static final Logger log = LoggerFactory.getLogger(ReasonPhrases.class);
    private static final byte[] LINE_END = {'\r', '\n'};
    private static final Map<Integer, byte[]> PHRASES = Map.ofEntries(phrase(101, "Switching Protocols"),
            phrase(200, "OK"), phrase(201, "Created"), phrase(202, "Accepted"), phrase(204, "No Content"),
            phrase(301, "Moved Permanently"), phrase(302, "Found"), phrase(304, "Not Modified"),
            phrase(307, "Temporary Redirect"), phrase(400, "Bad Request"), phrase(401, "Unauthorized"),
            phrase(403, "Forbidden"), phrase(404, "Not Found"), phrase(405, "Method Not Allowed"),
            phrase(406, "Not Acceptable"), phrase(409, "Conflict"), phrase(410, "Gone"),
            phrase(413, "Request Entity Too Large"), phrase(414, "Request URI Too Long"),
            phrase(415, "Unsupported Media Type"), phrase(422, "Unprocessable Entity"),
            phrase(429, "Too Many Requests"), phrase(500, "Internal Server Error"), phrase(501, "Not Implemented"),
            phrase(503, "Service Unavailable"), phrase(504, "Gateway Timeout"));
    private static final @Nullable Field BUFFER = buffer();

    private ReasonPhrases(Response response, int headerSize) {
        super(response, headerSize);
    }

    private static Map.Entry<Integer, byte[]> phrase(int status, String phrase) {
        return Map.entry(status, phrase.getBytes(StandardCharsets.US_ASCII));
    }

    private static @Nullable Field buffer() {
        try {
            Field field = Http11Processor.class.getDeclaredField("outputBuffer");
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException | RuntimeException e) {
            log.debug("answers have no reason phrase: {}", e.toString());
            return null;
        }
    }

    /** Makes a new processor write reason phrases. */
    static void addTo(Http11Processor processor, int headerSize) {
        if (BUFFER == null) {
            return;
        }
        try {
            Response response = processor.getRequest().getResponse();
            ReasonPhrases buffer = new ReasonPhrases(response, headerSize);
            for (OutputFilter filter : ((Http11OutputBuffer) BUFFER.get(processor)).getFilters()) {
                buffer.addFilter(filter);
            }
            BUFFER.set(processor, buffer);
            response.setOutputBuffer(buffer);
        } catch (IllegalAccessException e) {
            log.debug("answers have no reason phrase: {}", e.toString());
        }
    }

    @Override
    public void sendStatus(int status) {
        super.sendStatus(status);
        byte[] phrase = PHRASES.get(status);
        if (phrase != null) {
            headerBuffer.position(headerBuffer.position() - LINE_END.length);
            write(phrase);
            write(LINE_END);
        }
    }
}
