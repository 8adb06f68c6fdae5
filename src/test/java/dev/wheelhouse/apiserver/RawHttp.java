package dev.wheelhouse.apiserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client that can send any bytes over a connection. */
final class RawHttp implements AutoCloseable {
    final Socket socket;

    RawHttp(ApiServer server, int timeoutMillis) throws IOException {
        socket = new Socket(server.address(), server.port());
        socket.setSoTimeout(timeoutMillis);
    }

    RawHttp send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawHttp send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Reads one complete answer, or up to the end of the connection. */
    String answer() throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[8192];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            read.write(buffer, 0, n);
            if (isComplete(read.toString(StandardCharsets.ISO_8859_1))) {
                break;
            }
        }
        return read.toString(StandardCharsets.ISO_8859_1);
    }

    private static boolean isComplete(String text) {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return false;
        }
        String head = text.substring(0, end).toLowerCase(Locale.ROOT);
        int length = head.indexOf("\r\ncontent-length: ");
        if (length < 0) {
            return text.endsWith("\r\n0\r\n\r\n");
        }
        String number = head.substring(length + 18).lines().findFirst().orElse("0").trim();
        return text.length() >= end + 4 + Integer.parseInt(number);
    }

    /** The status code of an answer; 0 if there was none. */
    static int code(String answer) {
        return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
