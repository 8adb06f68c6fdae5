package dev.wheelhouse.client.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.client.http.ReadAheadSocket.BeforeRead;

import static org.assertj.core.api.Assertions.assertThat;

/** A socket whose reader is told before each read of the network. */
class ReadAheadSocketTest {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final ReadAheadSocket socket = (ReadAheadSocket) new ReadAheadSocket.Factory().createSocket();
    private final List<String> reads = new ArrayList<>();
    private Socket peer = new Socket();

    ReadAheadSocketTest() throws IOException {}

    @BeforeEach
    void connect() throws IOException {
        socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 0);
        peer = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        socket.close();
        peer.close();
        server.close();
    }

    private void send(String text) throws IOException {
        OutputStream out = peer.getOutputStream();
        out.write(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        out.flush();
    }

    @Test
    void theActionRunsBeforeEachReadOfTheNetworkAndNotForBytesThatAreThere() throws IOException {
        InputStream in = socket.getInputStream();
        send("abc");
        try (BeforeRead action = socket.beforeRead(() -> reads.add("read"), null)) {
            assertThat(in.read()).isEqualTo('a');
            assertThat(in.read()).isEqualTo('b');
            assertThat(in.read()).isEqualTo('c');
            assertThat(reads).hasSize(1);
            send("d");
            assertThat(in.read()).isEqualTo('d');
            assertThat(reads).hasSize(2);
        }
        send("e");
        assertThat(in.read()).isEqualTo('e');
        assertThat(reads).hasSize(2);
    }

    @Test
    void aReaderThatCanWaitDoesSoOnlyBeforeAReadThatFindsNoBytes() throws IOException {
        InputStream in = socket.getInputStream();
        send("a");
        try (BeforeRead action = socket.beforeRead(() -> reads.add("read"), () -> {
            reads.add("wait");
            try {
                send("b");
            } catch (IOException e) {
                reads.add(e.toString());
            }
        })) {
            assertThat(in.read()).isEqualTo('a');
            assertThat(in.read()).isEqualTo('b');
            assertThat(reads).containsExactly("read", "read", "wait");
        }
    }

    @Test
    void aConnectionThatAnotherThreadReadsFromRunsThatThreadsActionOnly() throws Exception {
        InputStream in = socket.getInputStream();
        BeforeRead mine = socket.beforeRead(() -> reads.add("mine"), null);
        send("a");
        Thread other = Thread.ofVirtual().start(() -> {
            try {
                in.read();
                try (BeforeRead theirs = socket.beforeRead(() -> reads.add("theirs"), null)) {
                    mine.close();
                    send("b");
                    in.read();
                }
            } catch (IOException e) {
                reads.add(e.toString());
            }
        });
        other.join();
        assertThat(reads).containsExactly("theirs");
    }
}
