package dev.wheelhouse.node.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedResolver;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.NioClient;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.ResolverConfig;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * A DNS server for the pods of a machine, by UDP and TCP on one port. The names of the cluster are answered here, all
 * other ones by the machine's own resolvers. It answers nobody outside private networks. Each query and each connection
 * has a virtual thread; their number is bounded.
 */
final class DnsServer implements Loop {
    private static final Logger log = LoggerFactory.getLogger(DnsServer.class);
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration LONGEST_CONNECTION = Duration.ofSeconds(30);
    private static final int MOST_QUERIES = 500;
    private static final int LEAST_ANSWER = 512;
    /** The largest answer by UDP that no network of today splits. */
    private static final int MOST_BY_UDP = 1232;
    private static final int MOST = 65_535;
    private static final int HEADER = 12;

    private final Supplier<@Nullable ClusterNames> names;
    private final Supplier<Resolver> resolvers;
    private final LoopRunner threads;
    private final Clock clock;
    private final DatagramChannel packets;
    private final ServerSocketChannel connections;
    private final Selector selector;
    private final Semaphore permits = new Semaphore(MOST_QUERIES);
    private final ByteBuffer buffer = ByteBuffer.allocate(MOST);
    private volatile @Nullable Resolver resolver;
    private volatile boolean closed;

    /**
     * @param names null while they are not known
     * @param resolvers finds the resolvers of other names
     * @throws IOException if the address is none of this machine
     */
    DnsServer(InetAddress address, Supplier<@Nullable ClusterNames> names, Supplier<Resolver> resolvers,
            LoopRunner threads, Clock clock) throws IOException {
        this.names = names;
        this.resolvers = resolvers;
        this.threads = threads;
        this.clock = clock;
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

    int port() {
        return connections.socket().getLocalPort();
    }

    @Override
    public long step() throws InterruptedException {
        try {
            if (closed) {
                return IDLE;
            }
            SocketChannel client = connections.accept();
            if (client != null && !handle(() -> serve(client))) {
                client.close();
            }
            buffer.clear();
            SocketAddress sender = packets.receive(buffer);
            if (sender == null) {
                return client == null ? IDLE : BUSY;
            }
            byte[] query = Arrays.copyOf(buffer.array(), buffer.position());
            handle(() -> {
                byte[] answer = answer(query, ((InetSocketAddress) sender).getAddress(), false);
                if (answer != null) {
                    packets.send(ByteBuffer.wrap(answer), sender);
                }
            });
        } catch (IOException e) {
            log.debug("a DNS query could not be read: {}", e.toString());
        }
        return BUSY;
    }

    private interface Work {
        void run() throws IOException;
    }

    /** @return false if there is too much to do already */
    private boolean handle(Work work) {
        if (!permits.tryAcquire()) {
            return false;
        }
        threads.run("dns", () -> {
            try {
                work.run();
            } catch (IOException e) {
                log.debug("a DNS query got no answer: {}", e.toString());
            } finally {
                permits.release();
            }
        });
        return true;
    }

    @Override
    public void await(long nanos) throws InterruptedException {
        try {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
            selector.selectedKeys().clear();
        } catch (IOException | ClosedSelectorException e) {
            throw new InterruptedException("the DNS server was closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        NioClient.close();
        try (packets; connections; selector) {
            log.debug("the DNS server ends");
        } catch (IOException e) {
            log.debug("the DNS server could not be closed", e);
        }
    }

    private void serve(SocketChannel channel) throws IOException {
        long end = clock.deadline(LONGEST_CONNECTION);
        try (Socket client = channel.socket()) {
            client.setSoTimeout((int) DEADLINE.toMillis());
            DataInputStream in = new DataInputStream(client.getInputStream());
            byte[] answer = new byte[0];
            while (answer != null && clock.nanoTime() < end) {
                answer = answer(in.readNBytes(in.readUnsignedShort()), client.getInetAddress(), true);
                if (answer != null) {
                    client.getOutputStream().write(ByteBuffer.allocate(2 + answer.length)
                            .putShort((short) answer.length).put(answer).array());
                }
            }
        }
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
            return ClusterNames.reply(new Message(new Header(bytes).getID()), Rcode.FORMERR).toWire();
        }
        ClusterNames known = names.get();
        Message answer = !isNear(client)
                ? ClusterNames.reply(query, Rcode.REFUSED)
                : known == null ? ClusterNames.reply(query, Rcode.SERVFAIL) : known.answer(query);
        if (answer == null) {
            Message found = ask(query);
            answer = found != null ? found : ClusterNames.reply(query, Rcode.SERVFAIL);
        } else if (answer.getRcode() == Rcode.NOERROR && answer.getSection(Section.AUTHORITY).isEmpty()
                && !answer.getSection(Section.ANSWER).isEmpty()
                && answer.getSection(Section.ANSWER).getLast() instanceof CNAMERecord alias) {
            follow(answer, alias, query.getQuestion().getType());
        }
        OPTRecord options = query.getOPT();
        if (answer.getOPT() != null) {
            answer.removeRecord(answer.getOPT(), Section.ADDITIONAL);
        }
        if (options != null) {
            answer.addRecord(new OPTRecord(MOST_BY_UDP, 0, 0), Section.ADDITIONAL);
        }
        return answer.toWire(tcp
                ? MOST
                : options == null ? LEAST_ANSWER : Math.clamp(options.getPayloadSize(), LEAST_ANSWER, MOST_BY_UDP));
    }

    /** Adds to an answer what the machine's resolvers know of a name outside the cluster. */
    private void follow(Message answer, CNAMERecord alias, int type) {
        Message target = type == Type.CNAME
                ? null
                : ask(Message.newQuery(Record.newRecord(alias.getTarget(), type, DClass.IN)));
        if (target != null) {
            target.getSection(Section.ANSWER).forEach(each -> answer.addRecord(each, Section.ANSWER));
        }
    }

    /** The answer of the machine's resolvers; null if none has one. The resolvers are found anew after a failure. */
    private @Nullable Message ask(Message query) {
        try {
            Resolver known = resolver != null ? resolver : resolvers.get();
            resolver = known;
            return known.send(query);
        } catch (IOException e) {
            resolver = null;
            log.debug("the machine's resolvers gave no answer: {}", e.toString());
            return null;
        }
    }

    /** The resolvers that {@code /etc/resolv.conf} names. */
    static Resolver ofMachine() {
        ResolverConfig.refresh();
        Resolver found = new ExtendedResolver();
        found.setTimeout(DEADLINE);
        return found;
    }

    private static boolean isNear(InetAddress client) throws IOException {
        return client.isSiteLocalAddress() || client.isLoopbackAddress() || client.isLinkLocalAddress()
                || NetworkInterface.getByInetAddress(client) != null;
    }
}
