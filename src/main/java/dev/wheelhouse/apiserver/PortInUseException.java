package dev.wheelhouse.apiserver;

/** The API server's port is in use. The message is one sentence for the operator, with the remedy. */
public final class PortInUseException extends RuntimeException {
    private final String address;
    private final int port;

    PortInUseException(String address, int port, Throwable cause) {
        super("the API server cannot listen on " + address + ":" + port
                + " because another process does: end that one, or choose another port (0 takes any free one)", cause);
        this.address = address;
        this.port = port;
    }

    public String address() {
        return address;
    }

    public int port() {
        return port;
    }
}
