package dev.wheelhouse.apiserver;

import java.security.cert.X509Certificate;
import java.util.List;

import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.threads.VirtualThreadExecutor;

import dev.wheelhouse.apiserver.auth.ServingCertificate;

/** Creates Tomcat's connector from the server's options. */
final class Connectors {
    /** How many bytes of a refused request's body are discarded before the connection is closed. */
    static final int REFUSED_BODY_READ = 64 * 1024 * 1024;
    /** Has room for all warnings of an answer. Every connection with a request has a buffer of this size in bytes. */
    private static final int RESPONSE_HEADERS = 32 * 1024;
    private static final int KEEP_ALIVE_MILLIS = 120_000;

    private Connectors() {}

    static Connector of(ApiServerOptions options, Traffic traffic) {
        ApiServerLimits limits = options.limits();
        ApiProtocol protocol = new ApiProtocol(options.clock(), limits.io().multipliedBy(2), traffic.connections());
        protocol.setAddress(ApiServer.resolve(options.address()));
        protocol.setExecutor(new VirtualThreadExecutor("apiserver-"));
        protocol.setConnectionTimeout((int) limits.io().toMillis());
        protocol.setKeepAliveTimeout(KEEP_ALIVE_MILLIS);
        protocol.setMaxKeepAliveRequests(-1);
        protocol.setMaxConnections(traffic.connections().most());
        protocol.setMaxHttpRequestHeaderSize(limits.headers());
        protocol.setMaxHttpResponseHeaderSize(RESPONSE_HEADERS);
        // If the connection were closed at once, a client that is still sending would see an error, not the answer.
        protocol.setMaxSwallowSize(REFUSED_BODY_READ);
        // A client that sends "Expect: 100-continue" gets the go-ahead after its head was accepted.
        protocol.setContinueResponseTiming("onRead");
        protocol.setTcpNoDelay(true);
        Connector connector = protocol.connector();
        ApiServerOptions.Tls tls = options.tls();
        if (tls != null) {
            protocol.setSSLEnabled(true);
            protocol.addSslHostConfig(sslHost(tls));
            connector.setScheme("https");
            connector.setSecure(true);
        }
        connector.setPort(options.port());
        connector.setThrowOnFailure(true);
        connector.setEncodedSolidusHandling("passthrough");
        connector.setXpoweredBy(false);
        return connector;
    }

    /** The TLS settings of new connections. */
    static SSLHostConfig sslHost(ApiServerOptions.Tls tls) {
        SSLHostConfig host = new SSLHostConfig();
        host.setProtocols("TLSv1.2+TLSv1.3");
        SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host,
                SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setCertificateKeystore(tls.certificate().keyStore());
        certificate.setCertificateKeystorePassword(ServingCertificate.PASSWORD);
        certificate.setCertificateKeyPassword(ServingCertificate.PASSWORD);
        host.addCertificate(certificate);
        List<X509Certificate> authorities = tls.clientAuthorities();
        if (authorities != null) {
            host.setTrustStore(ServingCertificate.trustStore(authorities));
            host.setCertificateVerification("optional");
        }
        return host;
    }
}
