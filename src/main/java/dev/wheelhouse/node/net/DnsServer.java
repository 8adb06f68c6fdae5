package dev.wheelhouse.node.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * A DNS server for the pods of a machine, by UDP and TCP on one port. The names of the cluster are answered here, all
 * other ones by the machine's own resolvers. It answers nobody outside private networks. Each query and each connection
 * has a virtual thread; there are bounds for both.
 */
final class DnsServer implements Loop {
    private static final Logger log = LoggerFactory.getLogger(DnsServer.class);
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration LONGEST_CONNECTION = Duration.ofSeconds(30);
    private static final int MOST_QUERIES = 500;
    private static final int MOST_CONNECTIONS = 100;
    private static final int LEAST_ANSWER = 512;
    /** The largest answer by UDP that no network of today splits. */
    private static final int MOST_BY_UDP = 1232;
    private static final int MOST = 65_535;
    private static final int HEADER = 12;

    private final ClusterNames names;
    private final Path resolvConf;
    private final LoopRunner threads;
    private final DatagramChannel packets;
    private final ServerSocketChannel connections;
    private final Selector selector;
    private final Semaphore queries = new Semaphore(MOST_QUERIES);
    private final Semaphore clients = new Semaphore(MOST_CONNECTIONS);
    private final ByteBuffer buffer = ByteBuffer.allocate(MOST);
    private volatile boolean closed;

    /**
     * @param resolvConf names the machine's resolvers
     * @throws IOException if the address is none of this machine
     */
    DnsServer(InetAddress address, ClusterNames names, Path resolvConf, LoopRunner threads) throws IOException {
        this.names = names;
        this.resolvConf = resolvConf;
        this.threads = threads;
        this.selector = Selector.open();
        this.packets = DatagramChannel.open();
        this.connections = ServerSocketChannel.open();
        try {
            connections.bind(new InetSocketAddress(address, 0));
            packets.bind(connections.getLocalAddress());
            packets.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            connections.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(connections.socket().getInetAddress(), connections.socket().getLocalPort());
    }

    @Override
    public long step() throws InterruptedException {
        try {
            if (closed) {
                return IDLE;
            }
            SocketChannel client = connections.accept();
            if (client != null) {
                serve(client);
            }
            buffer.clear();
            SocketAddress sender = packets.receive(buffer);
            if (sender == null) {
                return client == null ? IDLE : BUSY;
            }
            byte[] query = Arrays.copyOf(buffer.array(), buffer.position());
            if (queries.tryAcquire()) {
                threads.run("dns", () -> {
                    try {
                        byte[] answer = answer(query, ((InetSocketAddress) sender).getAddress(), false);
                        if (answer != null) {
                            packets.send(ByteBuffer.wrap(answer), sender);
                        }
                    } catch (IOException e) {
                        log.debug("a DNS query of {} got no answer: {}", sender, e.toString());
                    } finally {
                        queries.release();
                    }
                });
            }
        } catch (IOException e) {
            log.debug("a DNS query could not be read: {}", e.toString());
        }
        return BUSY;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        try {
            if (!closed) {
                selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
                selector.selectedKeys().clear();
            }
        } catch (IOException | java.nio.channels.ClosedSelectorException e) {
            closed = true;
        }
        if (closed) {
            throw new InterruptedException("the DNS server was closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        for (AutoCloseable each : List.of(packets, connections, selector)) {
            try {
                each.close();
            } catch (Exception e) {
                log.debug("the DNS server could not be closed", e);
            }
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        if (!clients.tryAcquire()) {
            channel.close();
            return;
        }
        threads.run("dns-client", () -> {
            long end = System.nanoTime() + LONGEST_CONNECTION.toNanos();
            try (Socket client = channel.socket()) {
                client.setSoTimeout((int) DEADLINE.toMillis());
                DataInputStream in = new DataInputStream(client.getInputStream());
                while (System.nanoTime() < end) {
                    byte[] answer = answer(in.readNBytes(in.readUnsignedShort()), client.getInetAddress(), true);
                    if (answer == null) {
                        return;
                    }
                    client.getOutputStream().write(framed(answer));
                }
            } catch (IOException e) {
                log.debug("a DNS client left: {}", e.toString());
            } finally {
                clients.release();
            }
        });
    }

    private static byte[] framed(byte[] message) {
        return ByteBuffer.allocate(2 + message.length).putShort((short) message.length).put(message).array();
    }

    /** Null if there is nothing to say. */
    byte @Nullable [] answer(byte[] bytes, InetAddress client, boolean tcp) throws IOException {
        if (bytes.length < HEADER || (bytes[2] & 0x80) != 0) {
            return null;
        }
        Message query;
        try {
            query = new Message(bytes);
        } catch (IOException | RuntimeException e) {
            return failure(new Header(Arrays.copyOf(bytes, HEADER)), Rcode.FORMERR);
        }
        if (!isNear(client)) {
            return failure(query.getHeader(), Rcode.REFUSED);
        }
        Message answer = names.answer(query);
        if (answer == null) {
            byte[] forwarded = forward(bytes, tcp);
            return forwarded != null ? forwarded : failure(query.getHeader(), Rcode.SERVFAIL);
        }
        List<Record> found = answer.getSection(Section.ANSWER);
        if (!found.isEmpty() && found.getLast() instanceof CNAMERecord alias
                && query.getQuestion().getType() != Type.CNAME && answer.getSection(Section.AUTHORITY).isEmpty()) {
            follow(answer, alias, query.getQuestion().getType());
        }
        OPTRecord options = query.getOPT();
        int size = LEAST_ANSWER;
        if (options != null) {
            size = Math.clamp(options.getPayloadSize(), LEAST_ANSWER, MOST_BY_UDP);
            answer.addRecord(new OPTRecord(MOST_BY_UDP, 0, 0), Section.ADDITIONAL);
        }
        return answer.toWire(tcp ? MOST : size);
    }

    /** Adds to an answer what the machine's resolvers know of a name outside the cluster. */
    private void follow(Message answer, CNAMERecord alias, int type) throws IOException {
        byte[] target = forward(Message.newQuery(Record.newRecord(alias.getTarget(), type, DClass.IN)).toWire(), true);
        if (target != null) {
            new Message(target).getSection(Section.ANSWER).forEach(each -> answer.addRecord(each, Section.ANSWER));
        }
    }

    private static byte[] failure(Header query, int code) {
        Header header = new Header(query.getID());
        header.setFlag(Flags.QR);
        header.setOpcode(query.getOpcode());
        header.setRcode(code);
        return header.toWire();
    }

    private static boolean isNear(InetAddress client) throws IOException {
        return client.isSiteLocalAddress() || client.isLoopbackAddress() || client.isLinkLocalAddress()
                || NetworkInterface.getByInetAddress(client) != null;
    }

    /** The answer of the first of the machine's resolvers that has one; null if none has. */
    private byte @Nullable [] forward(byte[] query, boolean tcp) throws IOException {
        List<String> lines = Files.exists(resolvConf) ? Files.readAllLines(resolvConf) : List.of();
        for (String line : lines) {
            String[] words = line.strip().split("\\s+");
            if (words.length < 2 || !words[0].equals("nameserver") || !words[1].matches("[0-9a-fA-F.:]+")) {
                continue;
            }
            InetSocketAddress resolver = new InetSocketAddress(InetAddress.getByName(words[1]), 53);
            try {
                byte[] answer = tcp ? askByTcp(resolver, query) : askByUdp(resolver, query);
                if (answer.length >= HEADER && answer[0] == query[0] && answer[1] == query[1]) {
                    return answer;
                }
            } catch (IOException e) {
                log.debug("the resolver {} gave no answer: {}", resolver, e.toString());
            }
        }
        return null;
    }

    private static byte[] askByUdp(InetSocketAddress resolver, byte[] query) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(resolver);
            socket.setSoTimeout((int) DEADLINE.toMillis());
            socket.send(new DatagramPacket(query, query.length));
            DatagramPacket answer = new DatagramPacket(new byte[MOST], MOST);
            socket.receive(answer);
            return Arrays.copyOf(answer.getData(), answer.getLength());
        }
    }

    private static byte[] askByTcp(InetSocketAddress resolver, byte[] query) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(resolver, (int) DEADLINE.toMillis());
            socket.setSoTimeout((int) DEADLINE.toMillis());
            socket.getOutputStream().write(framed(query));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            return in.readNBytes(in.readUnsignedShort());
        }
    }
}
