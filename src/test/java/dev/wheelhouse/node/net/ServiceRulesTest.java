package dev.wheelhouse.node.net;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.runtime.Commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** From Services and EndpointSlices to the rules of this machine. */
class ServiceRulesTest {
    private static final String PORT = "clusterIP: 10.96.0.5, ports: [{port: 80}]";
    private static final String TWO = "{addresses: [10.244.0.2], nodeName: here}, "
            + "{addresses: [10.244.1.3], nodeName: there}";
    private static final String BOTH = "dnat ip addr . port to numgen random mod 2 map "
            + "{ 0 : 10.244.0.2 . 8080, 1 : 10.244.1.3 . 8080 }";
    private static final String HERE = "dnat ip addr . port to numgen random mod 1 map { 0 : 10.244.0.2 . 8080 }";

    /** The elements and rules of the ruleset, as {@code map key: value} and {@code chain| rule}, without hashes. */
    private static Set<String> lines(Ruleset rules) {
        Set<String> lines = new TreeSet<>();
        rules.elements().forEach((set, elements) -> elements
                .forEach((key, value) -> lines.add((set + " " + key + ": " + value).strip())));
        rules.chains().forEach((chain, all) -> lines.add(chain + "| " + String.join("; ", all)));
        lines.removeIf(line -> line.startsWith("pods ") || line.startsWith("cluster-ips "));
        return new TreeSet<>(lines.stream().map(line -> line.replaceAll("-[0-9a-f]{12}-", "-")).toList());
    }

    private static Arguments row(String name, String spec, String endpoints, String... lines) {
        return arguments(name, spec, endpoints, List.of(lines));
    }

    static Stream<Arguments> services() {
        return Stream.of(
                row("a ClusterIP leads to all endpoints; a pod that calls itself is masqueraded", PORT, TWO,
                        "addresses 10.96.0.5 . tcp . 80: goto all-ns/web", "all-ns/web| meta l4proto tcp " + BOTH,
                        "hairpin 10.244.0.2 . 10.244.0.2:"),
                row("a Service without endpoints is refused", PORT, "",
                        "unanswered-addresses 10.96.0.5 . tcp . 80: goto refused"),
                row("endpoints that are not ready do not count, as loopback addresses and other families", PORT,
                        "{addresses: [10.244.0.9], conditions: {ready: false}}, {addresses: [127.0.0.1]}, "
                                + "{addresses: ['fd00::1']}",
                        "unanswered-addresses 10.96.0.5 . tcp . 80: goto refused"),
                row("without a ready endpoint, those that end and still serve are used", PORT,
                        "{addresses: [10.244.0.2], nodeName: here, conditions: {ready: false, serving: true, "
                                + "terminating: true}}, {addresses: [10.244.0.7], conditions: {ready: false, "
                                + "serving: false, terminating: true}}",
                        "addresses 10.96.0.5 . tcp . 80: goto all-ns/web", "all-ns/web| meta l4proto tcp " + HERE,
                        "hairpin 10.244.0.2 . 10.244.0.2:"),
                row("internalTrafficPolicy Local leads to this machine's endpoints", PORT
                        + ", internalTrafficPolicy: Local", TWO,
                        "addresses 10.96.0.5 . tcp . 80: goto local-ns/web", "all-ns/web| meta l4proto tcp " + BOTH,
                        "hairpin 10.244.0.2 . 10.244.0.2:", "local-ns/web| meta l4proto tcp " + HERE),
                row("internalTrafficPolicy Local without an endpoint here drops", PORT
                        + ", internalTrafficPolicy: Local", "{addresses: [10.244.1.3], nodeName: there}",
                        "all-ns/web| meta l4proto tcp dnat ip addr . port to numgen random mod 1 map "
                                + "{ 0 : 10.244.1.3 . 8080 }",
                        "unanswered-addresses 10.96.0.5 . tcp . 80: drop"),
                row("node ports, external addresses and those of load balancers come from outside",
                        "type: LoadBalancer, clusterIP: 10.96.0.5, externalIPs: [203.0.113.1], ports: "
                                + "[{port: 80, nodePort: 30080}] // loadBalancer: {ingress: [{ip: 198.51.100.7}, "
                                + "{ip: 198.51.100.8, ipMode: Proxy}]}",
                        TWO, "addresses 10.96.0.5 . tcp . 80: goto all-ns/web",
                        "addresses 198.51.100.7 . tcp . 80: goto outside-ns/web",
                        "addresses 203.0.113.1 . tcp . 80: goto outside-ns/web",
                        "all-ns/web| meta l4proto tcp " + BOTH, "hairpin 10.244.0.2 . 10.244.0.2:",
                        "node-ports tcp . 30080: goto outside-ns/web",
                        "outside-ns/web| meta mark set meta mark or 0x20000; goto all-ns/web"),
                row("externalTrafficPolicy Local keeps the sender's address, and leads pods to all endpoints",
                        "type: NodePort, externalTrafficPolicy: Local, clusterIP: 10.96.0.5, ports: "
                                + "[{port: 80, nodePort: 30080}]",
                        TWO, "addresses 10.96.0.5 . tcp . 80: goto all-ns/web",
                        "all-ns/web| meta l4proto tcp " + BOTH, "hairpin 10.244.0.2 . 10.244.0.2:",
                        "local-ns/web| meta l4proto tcp " + HERE, "node-ports tcp . 30080: goto outside-ns/web",
                        "outside-ns/web| ip saddr @pods goto all-ns/web; fib saddr type local meta mark set meta mark "
                                + "or 0x20000; fib saddr type local goto all-ns/web; goto local-ns/web"),
                row("externalTrafficPolicy Local without an endpoint here drops what comes from outside",
                        "type: NodePort, externalTrafficPolicy: Local, clusterIP: 10.96.0.5, ports: "
                                + "[{port: 80, nodePort: 30080}]",
                        "{addresses: [10.244.1.3], nodeName: there}",
                        "addresses 10.96.0.5 . tcp . 80: goto all-ns/web",
                        "all-ns/web| meta l4proto tcp dnat ip addr . port to numgen random mod 1 map "
                                + "{ 0 : 10.244.1.3 . 8080 }",
                        "node-ports tcp . 30080: goto outside-ns/web",
                        "outside-ns/web| ip saddr @pods goto all-ns/web; fib saddr type local meta mark set meta mark "
                                + "or 0x20000; fib saddr type local goto all-ns/web",
                        "unanswered-node-ports tcp . 30080: drop"),
                row("a client stays with its endpoint for a time", PORT + ", sessionAffinity: ClientIP, "
                        + "sessionAffinityConfig: {clientIP: {timeoutSeconds: 7}}",
                        "{addresses: [10.244.0.2], nodeName: here}",
                        "addresses 10.96.0.5 . tcp . 80: goto all-ns/web",
                        "all-ns/web| ip saddr @clients-ns/web/10.244.0.2/8080/7 goto one-ns/web/10.244.0.2/8080; "
                                + "numgen random mod 1 vmap { 0 : goto one-ns/web/10.244.0.2/8080 }",
                        "hairpin 10.244.0.2 . 10.244.0.2:",
                        "one-ns/web/10.244.0.2/8080| update @clients-ns/web/10.244.0.2/8080/7 { ip saddr }; "
                                + "meta l4proto tcp dnat to 10.244.0.2:8080"),
                row("headless, external and IPv6 Services have no rules", "clusterIP: None, ports: [{port: 80}]", TWO),
                row("an ExternalName has no rules", "type: ExternalName, externalName: a.example", ""),
                row("a protocol that is none has no rules", "clusterIP: 10.96.0.5, ports: [{port: 80, protocol: X}]",
                        TWO));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("services")
    void servicesBecomeRules(String name, String spec, String endpoints, List<String> expected) {
        Ruleset rules = new NetworkObjects().service("web", spec).slice("web", "{port: 8080}", endpoints).rules();
        assertThat(lines(rules)).containsExactlyElementsOf(new TreeSet<>(expected));
    }

    @Test
    void portsAreFoundByNameAndProtocol() {
        Ruleset rules = new NetworkObjects().service("dns", "clusterIP: 10.96.0.10, ports: [{name: dns, port: 53, "
                + "protocol: UDP}, {name: tcp, port: 53}]").slice("dns", "{name: dns, port: 1053, protocol: UDP}, "
                        + "{name: tcp, port: 2053}, {name: other, port: 3}", "{addresses: [10.244.0.2]}")
                .rules();
        assertThat(lines(rules)).contains("addresses 10.96.0.10 . udp . 53: goto all-ns/dns",
                "addresses 10.96.0.10 . tcp . 53: goto all-ns/dns");
        assertThat(rules.chains().values().toString()).contains("10.244.0.2 . 1053", "10.244.0.2 . 2053")
                .doesNotContain(" . 3 ");
    }

    @Test
    void aNameCannotBecomeARule() {
        NetworkObjects objects = new NetworkObjects().service("web", PORT).slice("web", "{port: 8080}", TWO);
        objects.services.get(0).getMetadata().setNamespace("ns; flush ruleset\n");
        Ruleset rules = objects.rules();
        assertThat(rules.whole()).doesNotContain("flush ruleset").contains("nsflushruleset/web");
    }

    @Test
    void onlyChangesAreWritten() {
        NetworkObjects one = new NetworkObjects().service("web", PORT).slice("web", "{port: 8080}", TWO);
        Ruleset before = one.rules();
        assertThat(before.changes(before)).isEmpty();
        Ruleset after = one.service("other", "clusterIP: 10.96.0.6, ports: [{port: 81}]").rules();
        assertThat(after.changes(before)).isEqualTo("""
                add element ip wheelhouse cluster-ips { 10.96.0.6 }
                add element ip wheelhouse unanswered-addresses { 10.96.0.6 . tcp . 81 : goto refused }
                """);
        Ruleset gone = new NetworkObjects().rules();
        String chain = before.chains().firstKey();
        assertThat(gone.changes(before)).contains("flush chain ip wheelhouse " + chain,
                "delete element ip wheelhouse addresses { 10.96.0.5 . tcp . 80 }",
                "delete element ip wheelhouse cluster-ips { 10.96.0.5 }");
        assertThat(gone.staleChains(before)).containsExactly(chain);
    }

    @Test
    void hostPortsLeadToPods() {
        Ruleset rules = NodeRules.of("n", List.of(new PodPort("", "TCP", 8080, "10.244.0.2", 80),
                new PodPort("192.0.2.1", "UDP", 53, "10.244.0.3", 1053), new PodPort("::1", "TCP", 1, "10.244.0.4", 1),
                new PodPort("0.0.0.0", "TCP", 2, "fd00::1", 1)), "10.244.0.0/24", Set.of("10.244.0.0/24", "bad"));
        assertThat(lines(rules)).containsExactly("all-pods 10.244.0.0/24:", "hairpin 10.244.0.2 . 10.244.0.2:",
                "hairpin 10.244.0.3 . 10.244.0.3:", "ports tcp . 8080: 10.244.0.2 . 80",
                "ports-of-addresses 192.0.2.1 . udp . 53: 10.244.0.3 . 1053");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "10.96.0.10", "255.255.255.255", "1.20.255.199"})
    void addresses(String text) {
        assertThat(ServiceRules.isIpv4(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4.", "a.b.c.d", "1.2.3.4 }", "::1", "None"})
    void textsThatAreNoAddresses(String text) {
        assertThat(ServiceRules.isIpv4(text)).isFalse();
    }

    @Test
    void nftTakesTheRulesets() throws IOException {
        assumeTrue(Kubectl.onPath("nft").isPresent() && "root".equals(System.getProperty("user.name")),
                "nft is not installed, or may not be used");
        NetworkObjects all = new NetworkObjects();
        List<Arguments> rows = services().toList();
        for (int i = 0; i < rows.size(); i++) {
            all.service("web-" + i, String.valueOf(rows.get(i).get()[1]).replace("10.96.0.5", "10.96.1." + i)
                    .replace("30080", String.valueOf(30_000 + i)).replace("port: 80,", "port: " + (80 + i) + ","))
                    .slice("web-" + i, "{port: 8080}", String.valueOf(rows.get(i).get()[2]));
        }
        Ruleset rules = all.rules();
        Ruleset node = NodeRules.of("a.b-1", List.of(new PodPort("", "TCP", 8080, "10.244.0.2", 80),
                new PodPort("192.0.2.1", "SCTP", 53, "10.244.0.3", 1053)), "10.244.0.0/24", Set.of("10.244.0.0/16"));
        // A network namespace of its own: the machine's rules stay as they are.
        check(rules.whole() + node.whole() + new Ruleset("wheelhouse", "").changes(rules));
        check(rules.whole() + rules.whole());
        assertThatThrownBy(() -> check("add rule ip none none\n")).hasMessageContaining("Error");
    }

    private static void check(String transaction) throws IOException {
        Commands.run(Duration.ofSeconds(20), transaction, "unshare", "-n", "nft", "-f", "-");
    }
}
