package dev.wheelhouse.node.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;

import dev.wheelhouse.api.Absent;

/**
 * The names of Services and pods, as the specification of Kubernetes' DNS, version 1.1.0, has them, and the names of
 * their addresses. Pure. Only IPv4.
 *
 * @param records all names with their records; a name that only has longer names below it has no records
 */
record ClusterNames(Map<Name, Set<Record>> records) {
    private static final Logger log = LoggerFactory.getLogger(ClusterNames.class);
    private static final Name ZONE = Name.fromConstantString(PodNetwork.DOMAIN + ".");
    private static final Name PODS = Name.fromConstantString("pod." + ZONE);
    private static final Name SERVER = Name.fromConstantString("ns.dns." + ZONE);
    private static final Name VERSION = Name.fromConstantString("dns-version." + ZONE);
    private static final long TTL = 5;
    private static final int MOST_ALIASES = 8;
    private static final Record SOA = new SOARecord(ZONE, DClass.IN, TTL, SERVER,
            Name.fromConstantString("hostmaster." + ZONE), 1, 7200, 1800, 86_400, TTL);

    /** @param slices the slices of a Service */
    static ClusterNames of(Collection<V1Service> services, Function<V1Service, List<V1EndpointSlice>> slices) {
        ClusterNames names = new ClusterNames(new HashMap<>());
        names.add(SOA);
        names.add(new NSRecord(ZONE, DClass.IN, TTL, SERVER));
        names.add(new TXTRecord(VERSION, DClass.IN, TTL, "1.1.0"));
        names.have(Name.fromConstantString("svc." + ZONE));
        names.have(PODS);
        for (V1Service service : services) {
            try {
                names.add(service, slices.apply(service));
            } catch (IllegalArgumentException e) {
                log.debug("the Service {} has a name that is none", service.getMetadata().getName(), e);
            }
        }
        return names;
    }

    private Set<Record> have(Name name) {
        Set<Record> own = records.computeIfAbsent(name, n -> new LinkedHashSet<>());
        if (name.labels() > ZONE.labels() && name.subdomain(ZONE)) {
            have(new Name(name, 1));
        }
        return own;
    }

    private void add(Record each) {
        have(each.getName()).add(each);
    }

    private void add(V1Service service, List<V1EndpointSlice> slices) {
        Name name = Name.fromConstantString(service.getMetadata().getName() + "."
                + service.getMetadata().getNamespace() + ".svc." + ZONE);
        String address = Absent.orEmpty(service.getSpec().getClusterIP());
        have(name);
        if ("ExternalName".equals(service.getSpec().getType())) {
            String target = Absent.orEmpty(service.getSpec().getExternalName()).replaceFirst("\\.?$", ".");
            add(new CNAMERecord(name, DClass.IN, TTL, Name.fromConstantString(target)));
        } else if (ServiceRules.isIpv4(address)) {
            addAddress(name, address);
            for (V1ServicePort port : Absent.orEmpty(service.getSpec().getPorts())) {
                addPort(name, port.getName(), port.getProtocol(), port.getPort(), name);
            }
        } else if (address.equals("None")) {
            for (V1EndpointSlice slice : slices) {
                slice.getEndpoints().stream().filter(ServiceRules::isReady).forEach(each -> add(name, slice, each));
            }
        }
    }

    /** Adds a pod of a Service without an address of its own. */
    private void add(Name service, V1EndpointSlice slice, V1Endpoint endpoint) {
        String address = endpoint.getAddresses().isEmpty() ? "" : endpoint.getAddresses().get(0);
        if (ServiceRules.isIpv4(address)) {
            String host = endpoint.getHostname() == null ? address.replace('.', '-') : endpoint.getHostname();
            Name name = Name.fromConstantString(host + "." + service);
            addAddress(name, address);
            add(a(service, address));
            for (DiscoveryV1EndpointPort port : Absent.orEmpty(slice.getPorts())) {
                addPort(service, port.getName(), port.getProtocol(), port.getPort(), name);
            }
        }
    }

    private void addAddress(Name name, String address) {
        add(a(name, address));
        add(new PTRRecord(ReverseMap.fromAddress(inet(address)), DClass.IN, TTL, name));
    }

    private void addPort(Name service, @Nullable String port, @Nullable String protocol, @Nullable Integer number,
            Name target) {
        if (port != null && !port.isEmpty() && number != null) {
            add(new SRVRecord(
                    Name.fromConstantString("_" + port + "._" + ServiceRules.protocol(protocol) + "." + service),
                    DClass.IN, TTL, 0, 100, number, target));
        }
    }

    private static ARecord a(Name name, String address) {
        return new ARecord(name, DClass.IN, TTL, inet(address));
    }

    private static InetAddress inet(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** An answer without records. */
    static Message reply(Message query, int code) {
        Message answer = new Message(query.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.RA);
        answer.getHeader().setOpcode(query.getHeader().getOpcode());
        answer.getHeader().setRcode(code);
        if (query.getHeader().getFlag(Flags.RD)) {
            answer.getHeader().setFlag(Flags.RD);
        }
        if (query.getQuestion() != null) {
            answer.addRecord(query.getQuestion(), Section.QUESTION);
        }
        return answer;
    }

    /** The answer, or the refusal; null if the name is none of the cluster's. */
    @Nullable
    Message answer(Message query) {
        Record question = query.getQuestion();
        if (query.getHeader().getOpcode() != Opcode.QUERY) {
            return reply(query, Rcode.NOTIMP);
        }
        if (query.getSection(Section.QUESTION).size() != 1) {
            return reply(query, Rcode.FORMERR);
        }
        if (question.getDClass() != DClass.IN || !Type.isRR(question.getType())) {
            return reply(query, Rcode.REFUSED);
        }
        Message answer = reply(query, Rcode.NOERROR);
        return fill(answer, question.getName(), question.getType(), 0) ? answer : null;
    }

    /** @return false if the name is none of the cluster's */
    private boolean fill(Message answer, Name name, int type, int aliases) {
        Set<Record> found = find(name);
        if (found == null && !name.subdomain(ZONE)) {
            return false;
        }
        answer.getHeader().setFlag(Flags.AA);
        answer.getHeader().setRcode(found == null ? Rcode.NXDOMAIN : Rcode.NOERROR);
        List<Record> fitting = found == null
                ? List.of()
                : found.stream().filter(each -> each.getType() == type || each.getType() == Type.CNAME).toList();
        if (fitting.isEmpty()) {
            answer.addRecord(SOA, Section.AUTHORITY);
        }
        for (Record each : fitting) {
            answer.addRecord(each, Section.ANSWER);
            if (each instanceof CNAMERecord alias && type != Type.CNAME && aliases < MOST_ALIASES) {
                fill(answer, alias.getTarget(), type, aliases + 1);
            } else if (each instanceof SRVRecord port) {
                records.getOrDefault(port.getTarget(), Set.of()).stream().filter(ARecord.class::isInstance)
                        .filter(address -> !answer.findRecord(address, Section.ADDITIONAL))
                        .forEach(address -> answer.addRecord(address, Section.ADDITIONAL));
            }
        }
        return true;
    }

    /** The records of a name; null if there is no such name. Every address has a name in every namespace. */
    private @Nullable Set<Record> find(Name name) {
        if (name.subdomain(PODS) && name.labels() == PODS.labels() + 2) {
            String address = name.getLabelString(0).replace('-', '.');
            return ServiceRules.isIpv4(address) ? Set.of(a(name, address)) : null;
        }
        return records.get(name);
    }
}
