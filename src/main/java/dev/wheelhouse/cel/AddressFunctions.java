package dev.wheelhouse.cel;

import static dev.wheelhouse.cel.KubernetesLibrary.BOOL;
import static dev.wheelhouse.cel.KubernetesLibrary.INT;
import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.runtime.CelEvaluationException;

/** Functions on IP addresses and networks (upstream: {@code library/ip.go}, {@code library/cidr.go}). */
final class AddressFunctions {
    private static final KubernetesLibrary.Type<IpAddress> IP = KubernetesLibrary.Type.opaque("net.IP",
            IpAddress.class);
    private static final KubernetesLibrary.Type<IpNetwork> CIDR = KubernetesLibrary.Type.opaque("net.CIDR",
            IpNetwork.class);

    private AddressFunctions() {}

    static void addTo(KubernetesLibrary library) {
        library.global("ip", "string_to_ip", IP, STRING, AddressFunctions::ip);
        library.global("isIP", "is_ip", BOOL, STRING, text -> IpAddress.parse(text) != null);
        library.global("ip.isCanonical", "ip_is_canonical", BOOL, STRING, text -> ip(text).toString().equals(text));
        library.global("string", "ip_to_string", STRING, IP, IpAddress::toString);
        library.member("family", "ip_family", INT, IP, ip -> (long) ip.family());
        library.member("isUnspecified", "ip_is_unspecified", BOOL, IP, ip -> ip.address().isAnyLocalAddress());
        library.member("isLoopback", "ip_is_loopback", BOOL, IP, ip -> ip.address().isLoopbackAddress());
        library.member("isLinkLocalMulticast", "ip_is_link_local_multicast", BOOL, IP,
                ip -> ip.address().isMCLinkLocal());
        library.member("isLinkLocalUnicast", "ip_is_link_local_unicast", BOOL, IP,
                ip -> ip.address().isLinkLocalAddress());
        library.member("isGlobalUnicast", "ip_is_global_unicast", BOOL, IP, IpAddress::isGlobalUnicast);
        library.global("cidr", "string_to_cidr", CIDR, STRING, AddressFunctions::cidr);
        library.global("isCIDR", "is_cidr", BOOL, STRING, text -> IpNetwork.parse(text) != null);
        library.global("string", "cidr_to_string", STRING, CIDR, IpNetwork::toString);
        library.member("containsIP", "cidr_contains_ip_ip", BOOL, CIDR, IP, IpNetwork::contains);
        library.member("containsIP", "cidr_contains_ip_string", BOOL, CIDR, STRING, (of, ip) -> of.contains(ip(ip)));
        library.member("containsCIDR", "cidr_contains_cidr", BOOL, CIDR, CIDR, IpNetwork::contains);
        library.member("containsCIDR", "cidr_contains_cidr_string", BOOL, CIDR, STRING,
                (of, other) -> of.contains(cidr(other)));
        library.member("ip", "cidr_ip", IP, CIDR, IpNetwork::address);
        library.member("masked", "cidr_masked", CIDR, CIDR, IpNetwork::masked);
        library.member("prefixLength", "cidr_prefix_length", INT, CIDR, of -> (long) of.prefix());
    }

    private static IpAddress ip(String text) throws CelEvaluationException {
        IpAddress ip = IpAddress.parse(text);
        if (ip == null) {
            throw new CelEvaluationException("IP Address \"" + text + "\" parse error during conversion from string");
        }
        return ip;
    }

    private static IpNetwork cidr(String text) throws CelEvaluationException {
        IpNetwork network = IpNetwork.parse(text);
        if (network == null) {
            throw new CelEvaluationException(
                    "CIDR \"" + text + "\" parse error during conversion from string: network address parse error");
        }
        return network;
    }
}
