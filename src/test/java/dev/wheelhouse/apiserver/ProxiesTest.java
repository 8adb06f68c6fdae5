package dev.wheelhouse.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.runtime.Host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The subresources {@code proxy} lead to the programs of pods, with the answers of kube-apiserver 1.36. */
@Timeout(60)
class ProxiesTest {
    private static final String ALL = "/api/v1/namespaces/default/";
    private static final String SWITCH = "Connection: Upgrade\r\nUpgrade: x\r\n";

    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private ApiServer server;
    private ServerSocket program;
    private String address = "";

    @BeforeEach
    void start() throws Exception {
        address = Host.address();
        assumeTrue(!address.equals("127.0.0.1"), "this machine has loopback only, to which no pod's proxy leads");
        program = new ServerSocket(0, 50, InetAddress.getByName(address));
        Thread.ofVirtual().start(() -> {
            while (!program.isClosed()) {
                try {
                    Socket client = program.accept();
                    Thread.ofVirtual().start(() -> serve(client));
                } catch (IOException e) {
                    // The test has ended.
                }
            }
        });
        server = new ApiServer(ApiServerOptions.defaults()).start();
        create("nodes", "{'metadata':{'name':'n'},'status':{'addresses':[{'type':'InternalIP','address':'" + address
                + "'}],'daemonEndpoints':{'kubeletEndpoint':{'Port':1}}}}");
        create("nodes", "{'metadata':{'name':'h'},'status':{'nodeInfo':{'containerRuntimeVersion':'hollow://1',"
                + "'architecture':'','bootID':'','kernelVersion':'','kubeProxyVersion':'','kubeletVersion':'',"
                + "'machineID':'','operatingSystem':'','osImage':'','systemUUID':''}}}");
        pod("p", "n", address);
        pod("noip", "n", "");
        pod("hollow", "h", address);
        service("s", "p");
        service("hollows", "hollow");
        create("namespaces/default/services", "{'metadata':{'name':'none'},'spec':{'ports':[{'port':80}]}}");
        create("namespaces/default/endpoints", "{'metadata':{'name':'none'}}");
    }

    private void pod(String name, String node, String ip) throws Exception {
        create("namespaces/default/pods", "{'metadata':{'name':'" + name + "'},'spec':{'nodeName':'" + node
                + "','containers':[{'name':'c','image':'i','ports':[{'name':'web','containerPort':"
                + program.getLocalPort() + "}]}]}}");
        String status = "{\"status\":{\"podIP\":\"" + ip + "\",\"podIPs\":[{\"ip\":\"" + ip + "\"}]}}";
        assertThat(ip.isEmpty()
                ? " 200 "
                : exchange("PATCH " + ALL + "pods/" + name + "/status",
                        "Content-Type: application/merge-patch+json\r\n", status))
                .contains(" 200 ");
    }

    private void service(String name, String pod) throws Exception {
        create("namespaces/default/services", "{'metadata':{'name':'" + name
                + "'},'spec':{'ports':[{'name':'main','port':80},{'name':'odd','port':81}]}}");
        create("namespaces/default/endpoints", "{'metadata':{'name':'" + name + "'},'subsets':[{'addresses':[{'ip':'"
                + address + "','targetRef':{'kind':'Pod','namespace':'default','name':'" + pod
                + "'}},{'ip':'192.0.2.77'}],'ports':[{'name':'main','port':" + program.getLocalPort() + "}]}]}");
    }

    private void create(String path, String json) throws Exception {
        assertThat(exchange("POST /api/v1/" + path, "Content-Type: application/json\r\n", json.replace('\'', '"')))
                .contains(" 201 ");
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.close();
            program.close();
        }
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = client.getInputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            asked.add(head.toString());
            String path = head.toString().split(" ")[1];
            String answer = path.startsWith("/chunks")
                    ? "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                            + "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\nAccess-Control-Allow-Origin: *\r\n\r\n"
                            + "5;x\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"
                    : path.startsWith("/moved")
                            ? "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /there?x=1#f\r\n\r\n"
                            : path.startsWith("/page")
                                    ? "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=\"/x\">"
                                    : path.startsWith("/switch")
                                            ? "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                                                    + "Upgrade: x\r\n\r\nswitched"
                                            : path.startsWith("/short")
                                                    ? "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"
                                                    : path.startsWith("/end") ? "" : "HTTP/1.1 200 OK\r\n\r\nfine";
            client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            client.getOutputStream().flush();
            if (path.startsWith("/switch")) {
                in.transferTo(client.getOutputStream());
            }
        } catch (IOException e) {
            // The client has ended.
        }
    }

    private String exchange(String request, String headers, String body) throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 30_000).send(request + " HTTP/1.1\r\nHost: localhost\r\n"
                + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body)) {
            return raw.answer();
        }
    }

    private String get(String path) throws Exception {
        return exchange("GET " + ALL + path, "", "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"pods/p/proxy/x | fine", "pods/p:PORT/proxy/x | fine",
            "pods/p:web/proxy/ | fine", "pods/http:p:/proxy/ | fine", "services/s:80/proxy/ | fine",
            "services/s:main/proxy/a/b?c | fine", "pods/p/proxy | 301",
            "pods/p/proxy | Location: " + ALL + "pods/p/proxy/",
            "pods/p/proxy?a=b | Location: " + ALL + "pods/p/proxy/?a=b", "pods/p/proxy/chunks | hello",
            "pods/p/proxy/moved | Location: " + ALL + "pods/p/proxy/there?x=1#f",
            "pods/p/proxy/page | <a href=\"" + ALL + "pods/p/proxy/x\">",
            "pods/p/proxy/end | {\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                    + "\"message\":"
                    + "\"error trying to reach service: EOF\",\"reason\":\"ServiceUnavailable\",\"code\":503}",
            "pods/p:1/proxy/ | error trying to reach service: dial tcp ADDRESS:1: connect: connection refused",
            "pods/noip/proxy/ | address not allowed",
            "pods/hollow/proxy/ | the pod default/hollow runs on a hollow node",
            "services/hollows:80/proxy/ | the pod default/hollow runs on a hollow node",
            "pods/absent:80/proxy/ | pods \\\"absent\\\" not found",
            "pods/ftp:p:80/proxy/ | invalid pod request \\\"ftp:p:80\\\"",
            "services/a:b:c:d/proxy/ | invalid service request \\\"a:b:c:d\\\"",
            "services/s:82/proxy/ | no service port 82 found for service \\\"s\\\"",
            "services/s:odd/proxy/ | no endpoints available for service \\\"s:odd\\\"",
            "services/gone:80/proxy/ | services \\\"gone\\\" not found",
            "services/s/proxy/ | no endpoints available for service \\\"s\\\"",
            "pods/p:x/proxy/ | dial tcp: lookup tcp/x: unknown port",
            "services/none:80/proxy/ | no endpoints available for service \\\"none\\\""})
    void theAnswerIsThatOfTheProgramOrSaysWhyThereIsNone(String path, String answer) throws Exception {
        String port = String.valueOf(program.getLocalPort());
        assertThat(get(path.replace("PORT", port))).contains(answer.replace("ADDRESS", address));
    }

    @Test
    void theProxyOfANodeLeadsToAnyServerOfItUnlessItIsHollow() throws Exception {
        assertThat(exchange("GET /api/v1/nodes/n:" + program.getLocalPort() + "/proxy/x", "", "")).contains("fine");
        assertThat(exchange("GET /api/v1/nodes/h/proxy/x", "", "")).contains("the node h is hollow");
    }

    @Test
    void theRequestKeepsItsHeadersButThoseOfTheConnectionAndOfTheSender() throws Exception {
        exchange("POST " + ALL + "pods/p/proxy/a/../b//c%2Fd%20%C3%A9*/?x=%2f",
                "Connection: X-Mine\r\nX-Mine: 1\r\nAuthorization: Basic x\r\nCookie: a=b\r\n"
                        + "X-Forwarded-For: 9.9.9.9\r\n"
                        + "X-Remote-User: root\r\nImpersonate-User: dev\r\n"
                        + "Content-Type: application/octet-stream\r\nUser-Agent: test\r\n",
                "data");
        assertThat(asked.poll(30, TimeUnit.SECONDS))
                .startsWith("POST /b/c/d%20%C3%A9%2A/?x=%2f HTTP/1.1\r\n")
                .contains("Cookie: a=b\r\n", "X-Forwarded-For: 9.9.9.9, 127.0.0.1\r\n", "Host: localhost\r\n",
                        "X-Forwarded-Uri: " + ALL + "pods/p/proxy/b/c/d%20%C3%A9%2A/\r\n", "Content-Length: 4\r\n")
                .doesNotContain("X-Mine", "Authorization", "X-Remote", "Impersonate");
    }

    @Test
    void everyMethodIsPassedOn() throws Exception {
        for (String method : List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")) {
            try (RawHttp raw = RawHttp.connect(server.port(), 30_000).send(method + " " + ALL
                    + "services/s:main/proxy/x HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
                assertThat(KubeletsTest.until(raw, "\r\n\r\n")).contains(" 200 ");
            }
            assertThat(asked.poll(30, TimeUnit.SECONDS)).startsWith(method + " /x HTTP/1.1\r\n");
        }
    }

    @Test
    void theAnswerHasNoHeadersThatLetPagesUseThisServer() throws Exception {
        assertThat(get("pods/p/proxy/chunks")).contains("Set-Cookie: a=b", "Set-Cookie: c=d",
                "Content-Security-Policy: sandbox ").doesNotContain("Access-Control", "103");
    }

    @Test
    void protocolsAreSwitchedOnlyIfTheProgramDoes() throws Exception {
        try (RawHttp raw = RawHttp.connect(server.port(), 30_000)
                .send("GET " + ALL + "pods/p/proxy/switch?a=b HTTP/1.1\r\nHost: localhost\r\n" + SWITCH + "\r\n")) {
            KubeletsTest.until(raw, "switched");
            raw.send("ping");
            KubeletsTest.until(raw, "ping");
        }
        assertThat(asked.poll(30, TimeUnit.SECONDS)).startsWith("GET /switch?a=b HTTP/1.1\r\n")
                .contains("X-Forwarded-For: 127.0.0.1");
        assertThat(exchange("GET " + ALL + "pods/p/proxy/x", SWITCH, ""))
                .contains("\"message\":\"invalid upgrade response: status code 200\",\"code\":500");
        assertThat(exchange("GET " + ALL + "pods/p:1/proxy/x", SWITCH, ""))
                .contains("error dialing backend: dial tcp " + address
                        + ":1: connect: connection refused\",\"code\":500");
    }
}
