package dev.wheelhouse.node.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Resolver;
import org.xbill.DNS.Section;
import org.xbill.DNS.SimpleResolver;
import org.xbill.DNS.TSIG;
import org.xbill.DNS.Type;

import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** Names, asked by the client of dnsjava. */
class DnsServerTest {
    private static final NetworkObjects OBJECTS = new NetworkObjects()
            .service("web",
                    "clusterIP: 10.96.0.5, ports: [{name: http, port: 80}, {name: dns, port: 53, protocol: UDP}]")
            .service("db", "clusterIP: None, ports: [{name: sql, port: 5432}]")
            .slice("db", "{name: sql, port: 5432}", "{addresses: [10.244.0.2], hostname: db-0}, {addresses: "
                    + "[10.244.0.3]}, {addresses: [10.244.0.4], conditions: {ready: false}}")
            .service("empty", "clusterIP: None")
            .service("alias", "type: ExternalName, externalName: outside.example")
            .service("inner", "type: ExternalName, externalName: web.ns.svc.cluster.local")
            .service("dead", "type: ExternalName, externalName: gone.ns.svc.cluster.local")
            .service("ring", "type: ExternalName, externalName: ring.ns.svc.cluster.local")
            .service("many", "clusterIP: None")
            .slice("many", "", IntStream.range(0, 100).mapToObj(i -> "{addresses: [10.244.2." + i + "]}")
                    .collect(Collectors.joining(", ")));

    private LoopRunner runner;
    private DnsServer server;
    private volatile @Nullable ClusterNames names = OBJECTS.names();
    private volatile boolean resolverIsDown;

    @BeforeEach
    void start() throws IOException {
        runner = new LoopRunner("dns-test", Clock.system());
        server = new DnsServer(InetAddress.getLoopbackAddress(), () -> names, () -> new Outside(this), runner,
                Clock.system());
        runner.start("dns", server);
    }

    @AfterEach
    void stop() {
        server.close();
        assertThat(runner.close(Duration.ofSeconds(5))).as("threads that did not end").isEmpty();
    }

    /** The machine's resolver: it knows one name. */
    private record Outside(DnsServerTest test) implements Resolver {
        @Override
        public Message send(Message query) throws IOException {
            if (test.resolverIsDown) {
                throw new IOException("the resolver is down");
            }
            Message answer = new Message(query.getHeader().getID());
            answer.getHeader().setFlag(Flags.QR);
            answer.addRecord(query.getQuestion(), Section.QUESTION);
            Name name = query.getQuestion().getName();
            if (name.toString().equals("outside.example.")) {
                answer.addRecord(new ARecord(name, DClass.IN, 60, InetAddress.getByName("192.0.2.7")), Section.ANSWER);
            } else {
                answer.getHeader().setRcode(Rcode.NXDOMAIN);
            }
            answer.addRecord(new OPTRecord(4096, 0, 0), Section.ADDITIONAL);
            return answer;
        }

        @Override
        public CompletionStage<Message> sendAsync(Message query) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }

        @Override
        public void setPort(int port) {}

        @Override
        public void setTCP(boolean flag) {}

        @Override
        public void setIgnoreTruncation(boolean flag) {}

        @Override
        public void setEDNS(int version, int payloadSize, int flags, List<EDNSOption> options) {}

        @Override
        public void setTSIGKey(TSIG key) {}

        @Override
        public void setTimeout(Duration timeout) {}
    }

    private Message ask(String name, String type, boolean tcp) throws IOException {
        SimpleResolver client = new SimpleResolver(new InetSocketAddress(InetAddress.getLoopbackAddress(),
                server.port()));
        client.setTCP(tcp);
        client.setIgnoreTruncation(true);
        client.setTimeout(Duration.ofSeconds(10));
        return client.send(Message.newQuery(Record.newRecord(Name.fromString(name, Name.root), Type.value(type),
                DClass.IN)));
    }

    private static String text(Message answer) {
        return Rcode.string(answer.getRcode()) + " " + answer.getSection(Section.ANSWER).stream()
                .map(each -> Type.string(each.getType()) + " " + each.rdataToString()).sorted()
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', value = {
            "web.ns.svc.cluster.local | A | NOERROR A 10.96.0.5", "WEB.ns.SVC.cluster.local | A | NOERROR A 10.96.0.5",
            "web.ns.svc.cluster.local | AAAA | NOERROR", "web.ns.svc.cluster.local | MX | NOERROR",
            "other.ns.svc.cluster.local | A | NXDOMAIN", "web.other.svc.cluster.local | A | NXDOMAIN",
            "ns.svc.cluster.local | A | NOERROR", "other.svc.cluster.local | A | NXDOMAIN",
            "svc.cluster.local | A | NOERROR", "pod.cluster.local | A | NOERROR", "cluster.local | A | NOERROR",
            "cluster.local | NS | NOERROR NS ns.dns.cluster.local.", "x.cluster.local | A | NXDOMAIN",
            "dns-version.cluster.local | TXT | NOERROR TXT 1.1.0",
            "_http._tcp.web.ns.svc.cluster.local | SRV | NOERROR SRV 0 100 80 web.ns.svc.cluster.local.",
            "_dns._udp.web.ns.svc.cluster.local | SRV | NOERROR SRV 0 100 53 web.ns.svc.cluster.local.",
            "_dns._tcp.web.ns.svc.cluster.local | SRV | NXDOMAIN", "_tcp.web.ns.svc.cluster.local | SRV | NOERROR",
            "_tcp.db.ns.svc.cluster.local | A | NOERROR", "x.web.ns.svc.cluster.local | A | NXDOMAIN",
            "db.ns.svc.cluster.local | A | NOERROR A 10.244.0.2, A 10.244.0.3",
            "db-0.db.ns.svc.cluster.local | A | NOERROR A 10.244.0.2",
            "10-244-0-3.db.ns.svc.cluster.local | A | NOERROR A 10.244.0.3",
            "10-244-0-4.db.ns.svc.cluster.local | A | NXDOMAIN",
            "_sql._tcp.db.ns.svc.cluster.local | SRV | NOERROR SRV 0 100 5432 10-244-0-3.db.ns.svc.cluster.local., "
                    + "SRV 0 100 5432 db-0.db.ns.svc.cluster.local.",
            "empty.ns.svc.cluster.local | A | NOERROR",
            "alias.ns.svc.cluster.local | A | NOERROR A 192.0.2.7, CNAME outside.example.",
            "alias.ns.svc.cluster.local | CNAME | NOERROR CNAME outside.example.",
            "inner.ns.svc.cluster.local | A | NOERROR A 10.96.0.5, CNAME web.ns.svc.cluster.local.",
            "dead.ns.svc.cluster.local | A | NXDOMAIN CNAME gone.ns.svc.cluster.local.",
            "10-1-2-3.ns.pod.cluster.local | A | NOERROR A 10.1.2.3", "x.ns.pod.cluster.local | A | NXDOMAIN",
            "5.0.96.10.in-addr.arpa | PTR | NOERROR PTR web.ns.svc.cluster.local.",
            "2.0.244.10.in-addr.arpa | PTR | NOERROR PTR db-0.db.ns.svc.cluster.local.",
            "9.9.9.9.in-addr.arpa | PTR | NXDOMAIN", "outside.example | A | NOERROR A 192.0.2.7",
            "nothing.example | A | NXDOMAIN", "web.ns.svc.cluster.local | ANY | REFUSED",
    })
    void namesAreAnsweredByUdpAndTcp(String name, String type, String expected) throws IOException {
        assertThat(text(ask(name, type, false)).strip()).isEqualTo(expected);
        assertThat(text(ask(name, type, true)).strip()).isEqualTo(expected);
    }

    @Test
    void aNameWithoutSuchARecordHasTheStartOfTheZoneAndAPortTheAddressOfItsTarget() throws IOException {
        assertThat(ask("web.ns.svc.cluster.local", "AAAA", false).getSection(Section.AUTHORITY).toString())
                .contains("SOA");
        Message port = ask("_http._tcp.web.ns.svc.cluster.local", "SRV", false);
        assertThat(port.getSection(Section.ADDITIONAL).toString()).contains("10.96.0.5");
        assertThat(port.getHeader().getFlag(Flags.AA)).isTrue();
    }

    @Test
    void aRingOfNamesEnds() throws IOException {
        assertThat(ask("ring.ns.svc.cluster.local", "A", false).getSection(Section.ANSWER)).isNotEmpty();
    }

    @Test
    void aLongAnswerIsCutByUdpAndWholeByTcp() throws IOException {
        Message cut = ask("many.ns.svc.cluster.local", "A", false);
        assertThat(cut.getHeader().getFlag(Flags.TC)).isTrue();
        assertThat(cut.numBytes()).isLessThanOrEqualTo(1232);
        assertThat(ask("many.ns.svc.cluster.local", "A", true).getSection(Section.ANSWER)).hasSize(100);
    }

    @Test
    void whatCannotBeAnsweredNowIsAFailure() throws IOException {
        resolverIsDown = true;
        assertThat(text(ask("outside.example", "A", false))).startsWith("SERVFAIL");
        resolverIsDown = false;
        assertThat(text(ask("outside.example", "A", false))).startsWith("NOERROR");
        names = null;
        assertThat(text(ask("web.ns.svc.cluster.local", "A", false))).startsWith("SERVFAIL");
    }

    private byte[] question() throws IOException {
        return Message.newQuery(Record.newRecord(Name.fromString("web.ns.svc.cluster.local."), Type.A, DClass.IN))
                .toWire();
    }

    private @Nullable String code(byte[] query, String client) throws IOException {
        byte[] answer = server.answer(query, InetAddress.getByName(client), false);
        return answer == null ? null : Rcode.string(new Message(answer).getRcode());
    }

    @Test
    void hostileQueriesAreRefused() throws IOException {
        byte[] good = question();
        assertThat(code(good, "10.244.0.9")).isEqualTo("NOERROR");
        assertThat(code(good, "8.8.8.8")).as("a stranger").isEqualTo("REFUSED");
        assertThat(code(new byte[11], "10.0.0.1")).as("too short").isNull();
        byte[] response = good.clone();
        response[2] |= (byte) 0x80;
        assertThat(code(response, "10.0.0.1")).as("an answer").isNull();
        byte[] two = good.clone();
        two[5] = 2;
        assertThat(code(two, "10.0.0.1")).as("two questions, one of which is missing").isEqualTo("FORMERR");
        byte[] none = Arrays.copyOf(good, 12);
        none[5] = 0;
        assertThat(code(none, "10.0.0.1")).as("no question").isEqualTo("FORMERR");
        byte[] update = good.clone();
        update[2] = (byte) (Opcode.UPDATE << 3);
        assertThat(code(update, "10.0.0.1")).as("an update").isEqualTo("NOTIMP");
        byte[] chaos = good.clone();
        chaos[chaos.length - 1] = 3;
        assertThat(code(chaos, "10.0.0.1")).as("another class").isEqualTo("REFUSED");
        byte[] pointer = Arrays.copyOf(good, 18);
        pointer[12] = (byte) 0xc0;
        pointer[13] = 12;
        assertThat(code(pointer, "10.0.0.1")).as("a name that points to itself").isEqualTo("FORMERR");
    }

    @Test
    void aClientThatSendsGarbageOrNothingHarmsNobody() throws IOException {
        try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), server.port());
                Socket garbage = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            garbage.getOutputStream().write(new byte[]{0, 3, 1, 2, 3});
            assertThat(garbage.getInputStream().read()).as("the end of the connection").isEqualTo(-1);
            assertThat(text(ask("web.ns.svc.cluster.local", "A", true))).contains("10.96.0.5");
            assertThat(silent.isConnected()).isTrue();
        }
    }
}
