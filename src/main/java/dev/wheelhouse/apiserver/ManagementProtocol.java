package dev.wheelhouse.apiserver;

import java.time.Duration;

import org.apache.coyote.Adapter;

import dev.wheelhouse.runtime.Clock;

/**
 * HTTP/1.1 of the management port, with a deadline for all headers together and as many connections as fit into a
 * sixteenth of the heap. If there are more, those whose request began first are closed: an answer takes milliseconds,
 * so these send no request or read no answer. Public because Tomcat creates it.
 */
public final class ManagementProtocol extends ApiProtocol {
    private static final Duration HEADER_DEADLINE = Duration.ofSeconds(20);
    /** The heap, in bytes, of a connection with a part of a request. */
    private static final int CONNECTION_BYTES = 64 * 1024;
    private static final int SHARE_OF_HEAP = 16;

    private final int most;

    public ManagementProtocol() {
        this(ApiServerOptions.defaults().clock(), connections(Runtime.getRuntime().maxMemory()));
    }

    private ManagementProtocol(Clock clock, int most) {
        super(clock, HEADER_DEADLINE, new Connections(most, most, most, clock, new Tally(clock)));
        this.most = most;
    }

    /** @param memory the size of the heap in bytes */
    static int connections(long memory) {
        return (int) Math.clamp(memory / SHARE_OF_HEAP / CONNECTION_BYTES, 64, 8192);
    }

    @Override
    public void setMaxConnections(int wanted) {
        super.setMaxConnections(Math.min(wanted, most));
    }

    @Override
    Adapter adapter() {
        return getAdapter();
    }
}
