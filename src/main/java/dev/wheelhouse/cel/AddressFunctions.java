package dev.wheelhouse.cel;

import static dev.wheelhouse.cel.KubernetesLibrary.STRING;

import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelEvaluationException;

/** Functions on IP addresses and networks (upstream: {@code library/ip.go}, {@code library/cidr.go}). */
final class AddressFunctions {
    private static final OpaqueType IP = OpaqueType.create("net.IP");
    private static final OpaqueType CIDR = OpaqueType.create("net.CIDR");
    private static final KubernetesLibrary.Argument AN_IP = new KubernetesLibrary.Argument(IP, IpAddress.class);
    private static final KubernetesLibrary.Argument A_CIDR = new KubernetesLibrary.Argument(CIDR, IpNetwork.class);

    private AddressFunctions() {}

    static void addTo(KubernetesLibrary library) {
        addresses(library);
        networks(library);
    }

    private static void addresses(KubernetesLibrary library) {
        library.global("ip", "string_to_ip", IP, a -> ip(a[0]), STRING);
        library.global("isIP", "is_ip", SimpleType.BOOL, a -> IpAddress.parse((String) a[0]) != null, STRING);
        library.global("ip.isCanonical", "ip_is_canonical", SimpleType.BOOL, a -> ip(a[0]).toString().equals(a[0]),
                STRING);
        library.global("string", "ip_to_string", SimpleType.STRING, a -> a[0].toString(), AN_IP);
        library.member("family", "ip_family", SimpleType.INT, a -> (long) ip(a[0]).family(), AN_IP);
        library.member("isUnspecified", "ip_is_unspecified", SimpleType.BOOL,
                a -> ip(a[0]).address().isAnyLocalAddress(),
                AN_IP);
        library.member("isLoopback", "ip_is_loopback", SimpleType.BOOL, a -> ip(a[0]).address().isLoopbackAddress(),
                AN_IP);
        library.member("isLinkLocalMulticast", "ip_is_link_local_multicast", SimpleType.BOOL,
                a -> ip(a[0]).address().isMCLinkLocal(), AN_IP);
        library.member("isLinkLocalUnicast", "ip_is_link_local_unicast", SimpleType.BOOL,
                a -> ip(a[0]).address().isLinkLocalAddress(), AN_IP);
        library.member("isGlobalUnicast", "ip_is_global_unicast", SimpleType.BOOL, a -> ip(a[0]).isGlobalUnicast(),
                AN_IP);
    }

    private static void networks(KubernetesLibrary library) {
        library.global("cidr", "string_to_cidr", CIDR, a -> cidr(a[0]), STRING);
        library.global("isCIDR", "is_cidr", SimpleType.BOOL, a -> IpNetwork.parse((String) a[0]) != null, STRING);
        library.global("string", "cidr_to_string", SimpleType.STRING, a -> a[0].toString(), A_CIDR);
        library.member("containsIP", "cidr_contains_ip_ip", SimpleType.BOOL, a -> cidr(a[0]).contains(ip(a[1])), A_CIDR,
                AN_IP);
        library.member("containsIP", "cidr_contains_ip_string", SimpleType.BOOL, a -> cidr(a[0]).contains(ip(a[1])),
                A_CIDR, STRING);
        library.member("containsCIDR", "cidr_contains_cidr", SimpleType.BOOL, a -> cidr(a[0]).contains(cidr(a[1])),
                A_CIDR, A_CIDR);
        library.member("containsCIDR", "cidr_contains_cidr_string", SimpleType.BOOL,
                a -> cidr(a[0]).contains(cidr(a[1])), A_CIDR, STRING);
        library.member("ip", "cidr_ip", IP, a -> cidr(a[0]).address(), A_CIDR);
        library.member("masked", "cidr_masked", CIDR, a -> cidr(a[0]).masked(), A_CIDR);
        library.member("prefixLength", "cidr_prefix_length", SimpleType.INT, a -> (long) cidr(a[0]).prefix(), A_CIDR);
    }

    private static IpAddress ip(Object value) throws CelEvaluationException {
        IpAddress ip = value instanceof IpAddress address ? address : IpAddress.parse((String) value);
        if (ip == null) {
            throw new CelEvaluationException("IP Address \"" + value + "\" parse error during conversion from string");
        }
        return ip;
    }

    private static IpNetwork cidr(Object value) throws CelEvaluationException {
        IpNetwork network = value instanceof IpNetwork given ? given : IpNetwork.parse((String) value);
        if (network == null) {
            throw new CelEvaluationException(
                    "CIDR \"" + value + "\" parse error during conversion from string: network address parse error");
        }
        return network;
    }
}
