package dev.wheelhouse.node.cri;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.node.cri.proto.Cri.Container;
import dev.wheelhouse.node.cri.proto.Cri.ListContainersResponse;
import dev.wheelhouse.node.cri.proto.Cri.ListPodSandboxResponse;
import dev.wheelhouse.node.cri.proto.Cri.PodSandbox;
import dev.wheelhouse.node.cri.proto.Cri.StreamingResponse;
import dev.wheelhouse.pki.AnyPeer;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.HttpHead;
import dev.wheelhouse.runtime.LoopRunner;
import dev.wheelhouse.runtime.ManualClock;
import dev.wheelhouse.testing.Eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Hostile and clumsy clients of a node's streams, beside a streaming server of the test's own. */
@Timeout(60)
class NodeStreamsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String EXEC = "/exec/n/p/c?command=cat&input=1&output=1";
    private static final String TTY = EXEC + "&tty=1";
    private static final int CLOSE = 0x88;
    private static final int PONG = 0x8A;
    private static final int STDIN = 3;
    private static final int STDOUT = 5;
    private static final int RESIZE = 7;

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final AtomicLong flooded = new AtomicLong();
    private final ManualClock clock = new ManualClock();
    private final AtomicInteger open = new AtomicInteger();
    private ServerSocket streaming;
    private ScriptedGrpc runtime;
    private CriClient cri;
    private LoopRunner runner;
    private NodeServer node;
    private volatile boolean isForwarding;
    private volatile Socket toNode;

    @BeforeEach
    void start() throws Exception {
        streaming = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
        AtomicInteger calls = new AtomicInteger();
        runtime = new ScriptedGrpc(request -> calls.getAndIncrement() % 2 == 1
                ? StreamingResponse.newBuilder().setUrl("http://127.0.0.1:" + streaming.getLocalPort() + "/a").build()
                : isForwarding
                        ? ListPodSandboxResponse.newBuilder().addItems(PodSandbox.newBuilder().setId("s")).build()
                        : ListContainersResponse.newBuilder().addContainers(Container.newBuilder().setId("1")).build(),
                0);
        cri = new CriClient(runtime.address());
        runner = new LoopRunner("test", Clock.system());
        Streams streams = new Streams(new CriService(cri), "real", this::run);
        node = new NodeServer("real", "127.0.0.1", 0, (exchange, peer) -> {
            open.incrementAndGet();
            try {
                if (exchange.segment(0).equals("exec")) {
                    streams.exec(exchange);
                } else {
                    streams.portForward(exchange);
                }
            } finally {
                open.decrementAndGet();
            }
        }, clock);
        node.start(runner);
    }

    private void run(String name, Runnable task) {
        open.incrementAndGet();
        runner.run(name, () -> {
            try {
                task.run();
            } finally {
                open.decrementAndGet();
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        assertEnded();
        node.close();
        assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
        cri.close();
        runtime.close();
        streaming.close();
    }

    /** No thread of a stream is left. */
    private void assertEnded() {
        Eventually.eventually("the threads of the stream end", SOON, () -> open.get() == 0);
    }

    /** The runtime's server: it says what it hears, and sends it back if it is input. */
    private void accept() {
        while (!streaming.isClosed()) {
            try {
                Socket client = streaming.accept();
                toNode = client;
                Thread.ofVirtual().start(() -> talk(client));
            } catch (IOException e) {
                // The test has ended.
            }
        }
    }

    private void talk(Socket socket) {
        try (Socket client = socket) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            heard.add(HttpHead.read(in).lines().getFirst());
            client.getOutputStream().write(("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                    + "Upgrade: SPDY/3.1\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            if (isForwarding) {
                listen(in);
            } else {
                serve(new DataInputStream(in), client.getOutputStream());
            }
        } catch (EOFException | SocketException e) {
            heard.add("end");
        } catch (IOException e) {
            heard.add(e.toString());
        }
    }

    private void listen(InputStream in) throws IOException {
        byte[] buffer = new byte[1000];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            heard.add(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
        }
        throw new EOFException();
    }

    private void serve(DataInputStream in, OutputStream out) throws IOException {
        while (true) {
            int word = in.readInt();
            int flagsAndLength = in.readInt();
            byte[] data = in.readNBytes(flagsAndLength & 0xFFFFFF);
            if (word == 0x80030006) {
                heard.add("ping");
            } else if (word >= 0) {
                String text = new String(data, StandardCharsets.ISO_8859_1);
                heard.add(word + ":" + text + (flagsAndLength >>> 24 == 1 ? " last" : ""));
                if (word == STDIN && text.equals("flood")) {
                    flood(out);
                } else if (word == STDIN) {
                    out.write(ByteBuffer.allocate(8 + data.length).putInt(STDOUT).putInt(data.length).put(data)
                            .array());
                }
            }
        }
    }

    private void flood(OutputStream out) throws IOException {
        byte[] frame = ByteBuffer.allocate(8 + (1 << 16)).putInt(STDOUT).putInt(1 << 16).array();
        while (true) {
            out.write(frame);
            flooded.addAndGet(frame.length);
        }
    }

    /** A client with a WebSocket. */
    private final class Client implements AutoCloseable {
        final Socket socket;
        final DataInputStream in;

        Client(String target, String headers) throws Exception {
            isForwarding = target.startsWith("/portForward");
            socket = AnyPeer.context().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), node.port());
            socket.setSoTimeout((int) SOON.toMillis());
            socket.getOutputStream()
                    .write(("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n" + headers
                            + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        }

        static Client webSocket(NodeStreamsTest test, String target, String protocol) throws Exception {
            Client client = test.new Client(target, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " + protocol + "\r\n");
            HttpHead head = HttpHead.read(client.in);
            assertThat(head.word(1)).isEqualTo("101");
            assertThat(head.header("Sec-WebSocket-Accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            assertThat(head.header("Sec-WebSocket-Protocol")).isEqualTo(protocol);
            return client;
        }

        void send(byte... bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        /** Sends a whole frame. @param first the byte with its kind */
        void frame(int first, byte... data) throws IOException {
            ByteBuffer frame = ByteBuffer.allocate(14 + data.length).put((byte) first);
            if (data.length < 126) {
                frame.put((byte) (0x80 | data.length));
            } else {
                frame.put((byte) 0xFF).putLong(data.length);
            }
            frame.put(new byte[4]).put(data);
            socket.getOutputStream().write(frame.array(), 0, frame.position());
        }

        void frame(int first, int channel, String text) throws IOException {
            frame(first, ((char) channel + text).getBytes(StandardCharsets.ISO_8859_1));
        }

        /** The next frame: its first byte, then its data. */
        byte[] read() throws IOException {
            byte first = in.readByte();
            int length = in.readUnsignedByte();
            length = length == 126 ? in.readUnsignedShort() : length == 127 ? (int) in.readLong() : length;
            byte[] data = new byte[length + 1];
            data[0] = first;
            in.readFully(data, 1, length);
            return data;
        }

        /** The code of the end. */
        int closed() throws IOException {
            byte[] frame = read();
            assertThat(frame[0] & 0xFF).as("the kind of " + Arrays.toString(frame)).isEqualTo(CLOSE);
            return (frame[1] & 0xFF) << 8 | frame[2] & 0xFF;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private Client exec() throws Exception {
        Client client = Client.webSocket(this, EXEC, "v5.channel.k8s.io");
        assertThat(hear()).isEqualTo("POST /a HTTP/1.1");
        return client;
    }

    private String hear() throws InterruptedException {
        String next = heard.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        return next == null ? "nothing" : next;
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            not masked                       | 82 01 00                                       | 1002
            a control frame in parts         | 09 80 00 00 00 00                              | 1002
            a long control frame             | 89 FE 00 7E 00 00 00 00                        | 1002
            an extension's bit               | C2 81 00 00 00 00 00                           | 1002
            an unknown kind of data          | 83 81 00 00 00 00 00                           | 1002
            an unknown kind of control frame | 8B 80 00 00 00 00                              | 1002
            a byte more than a mebibyte      | 82 FF 00 00 00 00 00 10 00 01 00 00 00 00      | 1009
            longer than any memory           | 82 FF 7F FF FF FF FF FF FF FF 00 00 00 00      | 1009
            a negative length                | 82 FF FF FF FF FF FF FF FF FF 00 00 00 00      | 1009
            an end                           | 88 82 00 00 00 00 03 E8                        | 1000
            an end without a code            | 88 80 00 00 00 00                              | 1000
            an end with half a code          | 88 81 00 00 00 00 03                           | 1000
            an end with a code of nobody     | 88 82 00 00 00 00 FF FF                        | 1000
            """)
    void aFrameThatIsNotAllowedEndsTheStreamAndTheClientIsTold(String what, String frame, int code) throws Exception {
        try (Client client = exec()) {
            client.send(HexFormat.ofDelimiter(" ").parseHex(frame));
            assertThat(client.closed()).isEqualTo(code);
            assertThat(client.in.read()).as("the end of the connection").isNegative();
            assertThat(hear()).as("the runtime's connection").isEqualTo("end");
        }
    }

    @Test
    void oddFramesThatAreAllowedLeaveTheStreamAsItIs() throws Exception {
        try (Client client = exec()) {
            // The end of a message that has not begun, then channels that are not there, with text and without.
            client.frame(0x80, "lost".getBytes(StandardCharsets.ISO_8859_1));
            client.frame(0x82, 9, "x");
            client.frame(0x82, 200, "x");
            client.frame(0x82, 1, "a client does not write its output");
            client.frame(0x81, '0', "some clients take a digit for the channel");
            client.frame(0x82);
            client.frame(0x82, 0, "");
            client.frame(0x82, 255, "");
            client.frame(0x82, 255, "\u0009");
            client.frame(0x8A, 0, "a pong that nobody asked for");
            assertThat(hear()).isEqualTo("ping");
            // A message in parts, with a control frame between them, and a text frame, is input as any other.
            client.frame(0x02, 0, "one ");
            client.frame(0x89, 1, "ping");
            client.frame(0x00, "two ".getBytes(StandardCharsets.ISO_8859_1));
            client.frame(0x80, "three".getBytes(StandardCharsets.ISO_8859_1));
            client.frame(0x81, 0, "four");
            for (String expected : List.of("3:one ", "ping", "3:two ", "3:three", "3:four")) {
                assertThat(hear()).isEqualTo(expected);
            }
            ByteArrayOutputStream output = new ByteArrayOutputStream();
            for (int i = 0; i < 5; i++) {
                byte[] frame = client.read();
                if ((frame[0] & 0xFF) == PONG) {
                    assertThat(new String(frame, 1, frame.length - 1, StandardCharsets.ISO_8859_1))
                            .isEqualTo("\u0001ping");
                } else {
                    output.write(frame, 2, frame.length - 2);
                }
            }
            assertThat(output).hasToString("one two threefour");
            client.frame(0x82, 255, "\0");
            assertThat(hear()).as("the end of the input").isEqualTo("3: last");
        }
        assertThat(hear()).isEqualTo("end");
    }

    @Test
    void sizesOfTerminalsArePassedOnAsTheyAre() throws Exception {
        try (Client client = Client.webSocket(this, TTY, "v4.channel.k8s.io")) {
            hear();
            for (String size : List.of("{\"Width\":80,\"Height\":24}", "{\"Width\":65535,\"Height\":0}",
                    "{\"Width\":-1,\"Height\":1e999}", "nonsense", "x".repeat(100_000))) {
                client.frame(0x82, 4, size);
                StringBuilder got = new StringBuilder();
                while (got.length() < size.length()) {
                    got.append(hear().substring((RESIZE + ":").length()));
                }
                assertThat(got).hasToString(size);
            }
            client.frame(0x82, 255, "\4");
            client.frame(0x82, 0, "this version has no channel for ends");
            assertThat(hear()).isEqualTo("3:this version has no channel for ends");
        }
        assertThat(hear()).isEqualTo("end");
    }

    @Test
    void aClientThatReadsNothingHoldsNoMemoryAndItsEndIsNoticed() throws Exception {
        try (Client client = exec()) {
            client.frame(0x82, 0, "flood");
            AtomicLong before = new AtomicLong(-1);
            Eventually.eventually("the runtime has to wait", SOON, () -> {
                long now = flooded.get();
                return now > 0 && before.getAndSet(now) == now && isStill(now);
            });
            assertThat(flooded.get()).as("bytes in the buffers of the sockets").isLessThan(64L << 20);
            client.socket.setSoLinger(true, 0);
        }
        assertEnded();
    }

    /** Whether nothing is sent while the node answers others. */
    private boolean isStill(long bytes) throws Exception {
        for (int i = 0; i < 20; i++) {
            try (Socket other = AnyPeer.context().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(),
                    node.port())) {
                other.getOutputStream().write("GET /exec/n/p/c HTTP/1.1\r\n\r\n".getBytes(
                        StandardCharsets.ISO_8859_1));
                assertThat(other.getInputStream().read()).isPositive();
            }
        }
        return flooded.get() == bytes;
    }

    @Test
    void aClientThatVanishesInAFrameEndsTheStream() throws Exception {
        try (Client client = exec()) {
            client.send((byte) 0x82, (byte) 0xFF, (byte) 0, (byte) 0, (byte) 0);
            client.socket.setSoLinger(true, 0);
        }
        assertThat(hear()).isEqualTo("end");
        assertEnded();
    }

    @Test
    void aStreamOnWhichNothingMovesForFourHoursEndsAndPingsCount() throws Exception {
        try (Client idle = exec(); Client pings = exec()) {
            clock.advance(Duration.ofHours(3));
            pings.frame(0x89);
            assertThat(pings.read()[0] & 0xFF).isEqualTo(PONG);
            assertThat(hear()).isEqualTo("ping");
            clock.advance(Duration.ofMinutes(61));
            assertThatThrownBy(idle::read).isInstanceOf(IOException.class);
            assertThat(hear()).isEqualTo("end");
            pings.frame(0x82, 0, "x");
            assertThat(hear()).isEqualTo("3:x");
            assertThat(pings.read()).hasSize(3);
        }
        assertThat(hear()).isEqualTo("end");
    }

    @Test
    void aRequestHasToComeInHalfAMinute() throws Exception {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), node.port())) {
            silent.getOutputStream().write(0x16);
            silent.setSoTimeout(100);
            Eventually.eventually("the connection ends", SOON, () -> {
                // The server may not have accepted the connection yet.
                clock.advance(Duration.ofSeconds(31));
                try {
                    return silent.getInputStream().read() < 0;
                } catch (SocketTimeoutException e) {
                    return false;
                }
            });
        }
    }

    @Test
    void theEndOfTheRuntimesConnectionEndsTheClients() throws Exception {
        try (Client client = exec()) {
            client.frame(0x82, 0, "x");
            assertThat(hear()).isEqualTo("3:x");
            assertThat(client.read()).hasSize(3);
            toNode.close();
            assertThat(client.closed()).isEqualTo(1000);
            assertThat(client.in.read()).isNegative();
        }
    }

    @Test
    void theSpdyOfAClientIsPassedOnByteByByteWhateverItSays() throws Exception {
        try (Client client = new Client("/portForward/n/p?port=80",
                "Upgrade: SPDY/3.1\r\nAuthorization: Bearer secret\r\n")) {
            assertThat(HttpHead.read(client.in).word(1)).isEqualTo("101");
            assertPassesOn(client, "GET /a HTTP/1.1");
        }
        assertThat(hear()).isEqualTo("end");
    }

    @Test
    void theSpdyInAWebSocketIsUnwrappedWhateverItSays() throws Exception {
        try (Client client = Client.webSocket(this, "/portForward/n/p?port=80&port=81,82",
                "SPDY/3.1+portforward.k8s.io")) {
            assertThat(hear()).isEqualTo("POST /a HTTP/1.1");
            client.frame(0x82, "\u0080\u00ff".getBytes(StandardCharsets.ISO_8859_1));
            client.frame(0x02, "junk".getBytes(StandardCharsets.ISO_8859_1));
            client.frame(0x80, new byte[0]);
            StringBuilder got = new StringBuilder();
            while (got.length() < 6) {
                got.append(hear());
            }
            assertThat(got).hasToString("\u0080\u00ffjunk");
            toNode.getOutputStream().write(7);
            assertThat(client.read()).containsExactly(0x82, 7);
            client.frame(0x80);
            client.send((byte) 0x82, (byte) 0);
            assertThat(client.closed()).isEqualTo(1002);
        }
        assertThat(hear()).isEqualTo("end");
    }

    private void assertPassesOn(Client client, String request) throws Exception {
        assertThat(hear()).isEqualTo(request);
        client.send("\u0080\u0009\u0000\u0001".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(hear()).isEqualTo("\u0080\u0009\u0000\u0001");
        toNode.getOutputStream().write(new byte[]{1, 2, 3});
        assertThat(client.in.readNBytes(3)).containsExactly(1, 2, 3);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            /exec/n/p/c                    | you must specify at least 1 of stdin, stdout, stderr
            /exec/n/p/c?output=1&command=x | Upgrade request required
            /portForward/n/p?port=x        | unable to parse "x" as a port
            /portForward/n/p?port=-1       | unable to parse "-1" as a port
            /portForward/n/p?port=1&port=  | unable to parse "" as a port
            """)
    void aRequestThatIsNoStreamIsRefused(String target, String expected) throws Exception {
        try (Client client = new Client(target, "")) {
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 400 ")
                    .endsWith(expected);
        }
    }

    @Test
    void aWebSocketWithoutAKeyIsRefused() throws Exception {
        try (Client client = new Client(EXEC, "Upgrade: websocket\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n")) {
            assertThat(new String(client.in.readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 400 ")
                    .contains("Sec-WebSocket-Key");
        }
    }
}
