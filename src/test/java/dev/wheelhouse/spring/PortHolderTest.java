package dev.wheelhouse.spring;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

class PortHolderTest {
    @Test
    @Timeout(900)
    void aHolderWhoseAnswerHasNoEndIsAnotherProcess() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> answerWithoutEnd(port));
            assertThat(PortHolder.of("127.0.0.1", port.getLocalPort())).isEqualTo("another process");
        }
    }

    /** The body begins and never ends. Ends with the socket of the port. */
    private static void answerWithoutEnd(ServerSocket port) {
        try {
            while (true) {
                Socket client = port.accept();
                OutputStream out = client.getOutputStream();
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nv1".getBytes(StandardCharsets.US_ASCII));
                out.flush();
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }
}
