package dev.wheelhouse.node.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;

import dev.wheelhouse.api.Absent;
import dev.wheelhouse.api.Metadata;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.informer.Indexer;

/**
 * The names of Services and pods, as the specification of Kubernetes' DNS, version 1.1.0, has them. A function of the
 * caches. Only IPv4.
 */
record ClusterNames(Indexer<V1Service> services, Indexer<V1EndpointSlice> slices) {
    private static final Name ZONE = Name.fromConstantString(PodNetwork.DOMAIN + ".");
    private static final Name SERVICES = Name.fromConstantString("svc." + PodNetwork.DOMAIN + ".");
    private static final Name SERVER = Name.fromConstantString("ns.dns." + PodNetwork.DOMAIN + ".");
    private static final Name ADMIN = Name.fromConstantString("hostmaster." + PodNetwork.DOMAIN + ".");
    private static final Name REVERSE = Name.fromConstantString("in-addr.arpa.");
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String BY_SERVICE = "service";
    private static final String BY_ADDRESS = "address";
    private static final long TTL = 5;
    private static final int MOST_ALIASES = 8;

    /** The names of the objects of two caches, which get indices. */
    static ClusterNames of(Indexer<V1Service> services, Indexer<V1EndpointSlice> slices) {
        services.addIndex(BY_ADDRESS, each -> List.of(Absent.orEmpty(each.getSpec().getClusterIP())));
        slices.addIndex(BY_SERVICE, each -> List.of(each.getMetadata().getNamespace() + "/"
                + Metadata.label(each, SERVICE_NAME)));
        slices.addIndex(BY_ADDRESS, each -> Absent.orEmpty(each.getEndpoints()).stream()
                .flatMap(endpoint -> endpoint.getAddresses().stream()).collect(Collectors.toSet()));
        return new ClusterNames(services, slices);
    }

    /** The slices of a Service. */
    List<V1EndpointSlice> slices(V1Service service) {
        return slices.byIndex(BY_SERVICE, service.getMetadata().getNamespace() + "/" + service.getMetadata().getName());
    }

    /** The answer, or the refusal; null if the name is none of the cluster's. */
    @Nullable
    Message answer(Message query) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.RA);
        answer.getHeader().setOpcode(query.getHeader().getOpcode());
        Record question = query.getQuestion();
        if (query.getHeader().getOpcode() != Opcode.QUERY) {
            answer.getHeader().setRcode(Rcode.NOTIMP);
        } else if (query.getSection(Section.QUESTION).size() != 1) {
            answer.getHeader().setRcode(Rcode.FORMERR);
        } else if (question.getDClass() != DClass.IN || !Type.isRR(question.getType())) {
            answer.addRecord(question, Section.QUESTION);
            answer.getHeader().setRcode(Rcode.REFUSED);
        } else {
            answer.addRecord(question, Section.QUESTION);
            if (query.getHeader().getFlag(Flags.RD)) {
                answer.getHeader().setFlag(Flags.RD);
            }
            return fill(answer, question.getName(), question.getType(), 0) ? answer : null;
        }
        return answer;
    }

    /** @return false if the name is none of the cluster's */
    private boolean fill(Message answer, Name name, int type, int aliases) {
        if (!name.subdomain(ZONE) && !name.subdomain(REVERSE)) {
            return false;
        }
        List<Record> found = name.subdomain(ZONE) ? records(name) : pointers(name);
        if (found == null && !name.subdomain(ZONE)) {
            return false;
        }
        answer.getHeader().setFlag(Flags.AA);
        List<Record> fitting = found == null
                ? List.of()
                : found.stream().filter(each -> each.getType() == type || each.getType() == Type.CNAME).toList();
        fitting.forEach(each -> answer.addRecord(each, Section.ANSWER));
        for (Record each : fitting) {
            if (each instanceof CNAMERecord alias && type != Type.CNAME && aliases < MOST_ALIASES) {
                fill(answer, alias.getTarget(), type, aliases + 1);
            } else if (each instanceof SRVRecord service) {
                Absent.orEmpty(records(service.getTarget())).stream().filter(ARecord.class::isInstance)
                        .filter(address -> !answer.findRecord(address, Section.ADDITIONAL))
                        .forEach(address -> answer.addRecord(address, Section.ADDITIONAL));
            }
        }
        if (found == null) {
            answer.getHeader().setRcode(Rcode.NXDOMAIN);
        }
        if (fitting.isEmpty()) {
            answer.addRecord(soa(), Section.AUTHORITY);
        }
        return true;
    }

    private static Record soa() {
        return new SOARecord(ZONE, DClass.IN, TTL, SERVER, ADMIN, 1, 7200, 1800, 86_400, TTL);
    }

    /** All records of a name of the cluster; null if there is no such name. */
    private @Nullable List<Record> records(Name name) {
        List<String> labels = new ArrayList<>();
        for (int i = name.labels() - ZONE.labels() - 1; i >= 0; i--) {
            labels.add(name.getLabelString(i).toLowerCase(Locale.ROOT));
        }
        if (labels.isEmpty()) {
            return List.of(soa(), new NSRecord(ZONE, DClass.IN, TTL, SERVER));
        }
        if (labels.equals(List.of("dns-version"))) {
            return List.of(new TXTRecord(name, DClass.IN, TTL, "1.1.0"));
        }
        boolean ofService = labels.get(0).equals("svc");
        if (!ofService && !labels.get(0).equals("pod")) {
            return null;
        }
        return switch (labels.size()) {
            case 1 -> List.of();
            case 2 -> services.list(labels.get(1)).isEmpty() ? null : List.of();
            case 3 -> ofService ? service(name, labels) : pod(name, labels.get(2).replace('-', '.'));
            case 4, 5 -> ofService ? parts(name, labels) : null;
            default -> null;
        };
    }

    private static @Nullable List<Record> pod(Name name, String address) {
        return ServiceRules.isIpv4(address) ? List.of(a(name, address)) : null;
    }

    private static boolean isHeadless(V1Service service) {
        return "None".equals(service.getSpec().getClusterIP());
    }

    private @Nullable List<Record> service(Name name, List<String> labels) {
        V1Service service = services.get(ObjectKey.of(labels.get(1), labels.get(2)));
        if (service == null || service.getSpec() == null) {
            return null;
        }
        String alias = service.getSpec().getExternalName();
        if ("ExternalName".equals(service.getSpec().getType())) {
            try {
                return List
                        .of(new CNAMERecord(name, DClass.IN, TTL, Name.fromString(Absent.orEmpty(alias), Name.root)));
            } catch (TextParseException e) {
                return List.of();
            }
        }
        if (isHeadless(service)) {
            return endpoints(service).map(each -> a(name, each.getAddresses().get(0)))
                    .distinct().toList();
        }
        String address = service.getSpec().getClusterIP();
        return ServiceRules.isIpv4(address) ? List.of(a(name, address)) : List.of();
    }

    /** The names below a Service: its protocols and ports, and the pods behind it. */
    private @Nullable List<Record> parts(Name name, List<String> labels) {
        V1Service service = services.get(ObjectKey.of(labels.get(1), labels.get(2)));
        if (service == null || service.getSpec() == null) {
            return null;
        }
        String part = labels.get(3);
        if (Set.of("_tcp", "_udp", "_sctp").contains(part)) {
            List<V1ServicePort> ports = Absent.orEmpty(service.getSpec().getPorts()).stream()
                    .filter(port -> part.equals("_" + ServiceRules.protocol(port.getProtocol()))
                            && (labels.size() == 4 || labels.get(4).equals("_" + port.getName())))
                    .toList();
            return ports.isEmpty()
                    ? null
                    : labels.size() == 4
                            ? List.of()
                            : ports.stream().flatMap(port -> locations(name, service, port)).distinct().toList();
        }
        List<Record> pods = endpoints(service).filter(each -> part.equals(hostname(each)))
                .map(each -> a(name, each.getAddresses().get(0))).distinct().toList();
        return labels.size() == 4 && isHeadless(service) && !pods.isEmpty() ? pods : null;
    }

    private Stream<Record> locations(Name name, V1Service service, V1ServicePort port) {
        return isHeadless(service)
                ? v4(service).flatMap(slice -> Absent.orEmpty(slice.getPorts()).stream()
                        .filter(each -> matches(port, each) && each.getPort() != null)
                        .flatMap(each -> ready(slice).map(pod -> location(name, each.getPort(),
                                Name.fromConstantString(hostname(pod) + "." + of(service))))))
                : Stream.of(location(name, port.getPort(), of(service)));
    }

    private static boolean matches(V1ServicePort port, DiscoveryV1EndpointPort other) {
        return Absent.orEmpty(port.getName()).equals(Absent.orEmpty(other.getName()))
                && ServiceRules.protocol(port.getProtocol()).equals(ServiceRules.protocol(other.getProtocol()));
    }

    private static Record location(Name name, int port, Name target) {
        return new SRVRecord(name, DClass.IN, TTL, 0, 100, port, target);
    }

    private static Name of(V1Service service) {
        return Name.fromConstantString(service.getMetadata().getName() + "." + service.getMetadata().getNamespace()
                + "." + SERVICES);
    }

    private Stream<V1EndpointSlice> v4(V1Service service) {
        return slices(service).stream().filter(slice -> "IPv4".equals(slice.getAddressType()));
    }

    private static Stream<V1Endpoint> ready(V1EndpointSlice slice) {
        return slice.getEndpoints().stream().filter(each -> ServiceRules.isReady(each)
                && !each.getAddresses().isEmpty() && ServiceRules.isIpv4(each.getAddresses().get(0)));
    }

    private Stream<V1Endpoint> endpoints(V1Service service) {
        return v4(service).flatMap(ClusterNames::ready);
    }

    private static String hostname(V1Endpoint endpoint) {
        String name = endpoint.getHostname();
        return name == null || name.isEmpty() ? endpoint.getAddresses().get(0).replace('.', '-') : name;
    }

    /** The names of an address; null if it has none. */
    private @Nullable List<Record> pointers(Name name) {
        if (name.labels() != REVERSE.labels() + 4) {
            return null;
        }
        String address = name.getLabelString(3) + "." + name.getLabelString(2) + "." + name.getLabelString(1) + "."
                + name.getLabelString(0);
        Stream<Name> own = services.byIndex(BY_ADDRESS, address).stream().map(ClusterNames::of);
        Stream<Name> pods = slices.byIndex(BY_ADDRESS, address).stream().flatMap(slice -> {
            V1Service service = services.get(ObjectKey.of(String.valueOf(slice.getMetadata().getNamespace()),
                    String.valueOf(Metadata.label(slice, SERVICE_NAME))));
            return service == null || !isHeadless(service)
                    ? Stream.of()
                    : ready(slice).filter(each -> each.getAddresses().get(0).equals(address))
                            .map(each -> Name.fromConstantString(hostname(each) + "." + of(service)));
        });
        List<Record> found = Stream.concat(own, pods).distinct()
                .<Record>map(each -> new PTRRecord(name, DClass.IN, TTL, each)).toList();
        return found.isEmpty() ? null : found;
    }

    private static Record a(Name name, String address) {
        try {
            return new ARecord(name, DClass.IN, TTL, InetAddress.getByName(address));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(address + " is checked before", e);
        }
    }
}
