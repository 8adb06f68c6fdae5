package dev.wheelhouse.node.net;

/**
 * A port of the machine that leads to a pod.
 *
 * @param hostIp the address of the machine; empty for all of them but loopback
 * @param protocol {@code TCP}, {@code UDP} or {@code SCTP}
 */
public record PodPort(String hostIp, String protocol, int port, String podIp, int podPort) {}
