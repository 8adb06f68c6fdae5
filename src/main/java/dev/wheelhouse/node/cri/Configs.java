package dev.wheelhouse.node.cri;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import com.google.protobuf.ByteString;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDNSConfig;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1ResourceRequirements;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.facts.QosClass;
import dev.wheelhouse.facts.Sysctls;
import dev.wheelhouse.node.PodPhases;
import dev.wheelhouse.node.cri.proto.Cri.Capability;
import dev.wheelhouse.node.cri.proto.Cri.ContainerConfig;
import dev.wheelhouse.node.cri.proto.Cri.ContainerMetadata;
import dev.wheelhouse.node.cri.proto.Cri.DNSConfig;
import dev.wheelhouse.node.cri.proto.Cri.Image;
import dev.wheelhouse.node.cri.proto.Cri.ImageSpec;
import dev.wheelhouse.node.cri.proto.Cri.Int64Value;
import dev.wheelhouse.node.cri.proto.Cri.KeyValue;
import dev.wheelhouse.node.cri.proto.Cri.LinuxContainerConfig;
import dev.wheelhouse.node.cri.proto.Cri.LinuxContainerResources;
import dev.wheelhouse.node.cri.proto.Cri.LinuxContainerSecurityContext;
import dev.wheelhouse.node.cri.proto.Cri.LinuxPodSandboxConfig;
import dev.wheelhouse.node.cri.proto.Cri.LinuxSandboxSecurityContext;
import dev.wheelhouse.node.cri.proto.Cri.Mount;
import dev.wheelhouse.node.cri.proto.Cri.NamespaceMode;
import dev.wheelhouse.node.cri.proto.Cri.NamespaceOption;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxConfig;
import dev.wheelhouse.node.cri.proto.Cri.PodSandboxMetadata;
import dev.wheelhouse.node.cri.proto.Cri.SecurityProfile;
import dev.wheelhouse.node.net.PodNetwork;

import static dev.wheelhouse.api.Absent.orEmpty;

/**
 * Pods and their containers in the words of the runtime (upstream: {@code kuberuntime_sandbox.go},
 * {@code kuberuntime_container_linux.go}, {@code security_context.go}). Pure functions.
 */
final class Configs {
    static final String POD_UID = "io.kubernetes.pod.uid";
    /** The label of the node whose agent made a sandbox or container; other ones are not touched. */
    static final String NODE = "wheelhouse.dev/node";
    /** The annotation of a container with the image of its spec: another one there restarts the container. */
    static final String IMAGE = "wheelhouse.dev/image";
    static final String POD_NAME = "io.kubernetes.pod.name";
    static final String POD_NAMESPACE = "io.kubernetes.pod.namespace";
    static final String CONTAINER_NAME = "io.kubernetes.container.name";

    private static final List<String> MASKED = List.of("/proc/asound", "/proc/acpi", "/proc/interrupts", "/proc/kcore",
            "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
            "/proc/scsi", "/sys/firmware", "/sys/devices/virtual/powercap");
    private static final List<String> READ_ONLY = List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
            "/proc/sysrq-trigger");
    private static final int LONGEST_HOSTNAME = 63;
    static final int PERIOD_MICROS = 100_000;
    private static final int LEAST_QUOTA = 1_000;
    private static final int LEAST_SHARES = 2;
    private static final int MOST_SHARES = 262_144;
    private static final int MOST_SERVERS = 3;
    private static final int MOST_SEARCHES = 32;
    private static final int LONGEST_SEARCH = 253;
    private static final int LONGEST_SEARCHES = 2048;
    private static final int PROTECTED = -997;

    private Configs() {}

    /** The labels of all that an agent makes for a pod. */
    static Map<String, String> labels(String node, String podUid) {
        return Map.of(NODE, node, POD_UID, podUid);
    }

    /** The name of a pod in messages and paths. */
    static String podName(V1Pod pod, String format) {
        return format.formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName(),
                pod.getMetadata().getUid());
    }

    static String hostname(V1Pod pod) {
        if (pod.getSpec().getHostnameOverride() != null) {
            return pod.getSpec().getHostnameOverride();
        }
        String name = pod.getSpec().getHostname() != null ? pod.getSpec().getHostname() : pod.getMetadata().getName();
        return name.length() <= LONGEST_HOSTNAME
                ? name
                : name.substring(0, LONGEST_HOSTNAME).replaceAll("[-.]+$", "");
    }

    /** The domain of a pod's hostname with a dot before it; empty if it has none. */
    static String domain(V1Pod pod) {
        String subdomain = pod.getSpec().getSubdomain();
        return subdomain == null || subdomain.isEmpty() || pod.getSpec().getHostnameOverride() != null
                ? ""
                : "." + subdomain + "." + pod.getMetadata().getNamespace() + ".svc.cluster.local";
    }

    /**
     * @param resolvConf the lines of the machine's {@code /etc/resolv.conf}
     * @param nameServer the cluster's DNS server; null if there is none
     */
    static PodSandboxConfig sandbox(V1Pod pod, String node, int attempt, String logDirectory, List<String> resolvConf,
            @Nullable String nameServer) {
        V1PodSpec spec = pod.getSpec();
        LinuxSandboxSecurityContext.Builder security = LinuxSandboxSecurityContext.newBuilder()
                .setNamespaceOptions(namespaces(spec)).setSeccomp(SecurityProfile.getDefaultInstance())
                .setPrivileged(PodPhases.containers(spec).anyMatch(c -> c.getSecurityContext() != null
                        && Boolean.TRUE.equals(c.getSecurityContext().getPrivileged())));
        LinuxPodSandboxConfig.Builder linux = LinuxPodSandboxConfig.newBuilder();
        V1PodSecurityContext given = spec.getSecurityContext();
        if (given != null) {
            if (given.getRunAsUser() != null) {
                security.setRunAsUser(number(given.getRunAsUser()));
            }
            if (given.getRunAsGroup() != null && given.getRunAsUser() != null) {
                security.setRunAsGroup(number(given.getRunAsGroup()));
            }
            if (given.getSysctls() != null) {
                given.getSysctls().forEach(each -> linux.putSysctls(Sysctls.dotted(each.getName()), each.getValue()));
            }
        }
        security.addAllSupplementalGroups(groups(given));
        return PodSandboxConfig.newBuilder()
                .setMetadata(PodSandboxMetadata.newBuilder().setName(pod.getMetadata().getName())
                        .setNamespace(pod.getMetadata().getNamespace()).setUid(pod.getMetadata().getUid())
                        .setAttempt(attempt))
                .setHostname(isTrue(spec.getHostNetwork())
                        ? ""
                        : hostname(pod) + (isTrue(spec.getSetHostnameAsFQDN()) ? domain(pod) : ""))
                .setLogDirectory(logDirectory)
                .setDnsConfig(dns(pod, resolvConf, nameServer))
                .putAllLabels(pod.getMetadata().getLabels() == null ? Map.of() : pod.getMetadata().getLabels())
                .putAllLabels(podLabels(pod, node))
                .putAllAnnotations(pod.getMetadata().getAnnotations() == null
                        ? Map.of()
                        : pod.getMetadata().getAnnotations())
                .setLinux(linux.setSecurityContext(security)).build();
    }

    private static Map<String, String> podLabels(V1Pod pod, String node) {
        Map<String, String> labels = new HashMap<>(
                labels(node, pod.getMetadata().getNamespace(), pod.getMetadata().getName()));
        labels.put(POD_UID, pod.getMetadata().getUid());
        return labels;
    }

    /** The labels by which the sandboxes and containers of a pod are found. */
    static Map<String, String> labels(String node, String namespace, String pod) {
        return Map.of(NODE, node, POD_NAME, pod, POD_NAMESPACE, namespace);
    }

    private static boolean isTrue(@Nullable Boolean value) {
        return Boolean.TRUE.equals(value);
    }

    private static Int64Value number(long value) {
        return Int64Value.newBuilder().setValue(value).build();
    }

    private static NamespaceOption namespaces(V1PodSpec spec) {
        return NamespaceOption.newBuilder()
                .setNetwork(isTrue(spec.getHostNetwork()) ? NamespaceMode.NODE : NamespaceMode.POD)
                .setPid(isTrue(spec.getHostPID())
                        ? NamespaceMode.NODE
                        : isTrue(spec.getShareProcessNamespace()) ? NamespaceMode.POD : NamespaceMode.CONTAINER)
                .setIpc(isTrue(spec.getHostIPC()) ? NamespaceMode.NODE : NamespaceMode.POD).build();
    }

    /** The container with the processes of another one, unless the pod's containers share all of them. */
    static ContainerConfig seeing(String containerId, ContainerConfig config) {
        LinuxContainerSecurityContext security = config.getLinux().getSecurityContext();
        NamespaceOption options = security.getNamespaceOptions();
        return options.getPid() != NamespaceMode.CONTAINER
                ? config
                : config.toBuilder().setLinux(config.getLinux().toBuilder().setSecurityContext(security.toBuilder()
                        .setNamespaceOptions(options.toBuilder().setPid(NamespaceMode.TARGET)
                                .setTargetId(containerId))))
                        .build();
    }

    private static List<Long> groups(@Nullable V1PodSecurityContext security) {
        List<Long> groups = new ArrayList<>();
        if (security != null && security.getFsGroup() != null) {
            groups.add(security.getFsGroup());
        }
        if (security != null && security.getSupplementalGroups() != null) {
            groups.addAll(security.getSupplementalGroups());
        }
        return groups;
    }

    /**
     * The contents of a pod's {@code resolv.conf} (upstream: {@code pkg/kubelet/network/dns}).
     *
     * @param nameServer the cluster's DNS server; null if there is none: then the policy {@code ClusterFirst} means the
     *     machine's configuration
     */
    static DNSConfig dns(V1Pod pod, List<String> resolvConf, @Nullable String nameServer) {
        V1PodSpec spec = pod.getSpec();
        DNSConfig.Builder dns = DNSConfig.newBuilder();
        for (String line : "None".equals(spec.getDnsPolicy()) ? List.<String>of() : resolvConf) {
            List<String> words = List.of(line.strip().split("\\s+"));
            List<String> values = words.subList(1, words.size());
            switch (words.get(0)) {
                case "nameserver" -> values.stream().limit(1).forEach(dns::addServers);
                case "search" -> dns.clearSearches().addAllSearches(values);
                case "options" -> dns.clearOptions().addAllOptions(values);
                default -> {
                    // A comment, or an older word.
                }
            }
        }
        String policy = spec.getDnsPolicy() == null ? "ClusterFirst" : spec.getDnsPolicy();
        if (nameServer != null && (policy.equals("ClusterFirstWithHostNet")
                || policy.equals("ClusterFirst") && !isTrue(spec.getHostNetwork()))) {
            List<String> ofMachine = List.copyOf(dns.getSearchesList());
            String services = "svc." + PodNetwork.DOMAIN;
            dns.clear().addServers(nameServer).addSearches(pod.getMetadata().getNamespace() + "." + services)
                    .addSearches(services).addSearches(PodNetwork.DOMAIN).addAllSearches(ofMachine)
                    .addOptions("ndots:5");
        }
        V1PodDNSConfig own = spec.getDnsConfig();
        Map<String, String> options = new LinkedHashMap<>();
        dns.getOptionsList().forEach(option -> options.put(option.replaceFirst(":.*", ""), option));
        if (own != null) {
            dns.addAllServers(orEmpty(own.getNameservers()));
            dns.addAllSearches(orEmpty(own.getSearches()));
            orEmpty(own.getOptions()).forEach(option -> options.put(option.getName(),
                    option.getValue() == null ? option.getName() : option.getName() + ":" + option.getValue()));
        }
        List<String> servers = dns.getServersList().stream().distinct().limit(MOST_SERVERS).toList();
        List<String> searches = dns.getSearchesList().stream().map(each -> each.replaceFirst("(.)\\.$", "$1"))
                .distinct().filter(each -> each.length() <= LONGEST_SEARCH).limit(MOST_SEARCHES).toList();
        while (String.join(" ", searches).length() > LONGEST_SEARCHES) {
            searches = searches.subList(0, searches.size() - 1);
        }
        return DNSConfig.newBuilder().addAllServers(servers).addAllSearches(searches).addAllOptions(options.values())
                .build();
    }

    /**
     * @param image its user runs the container if the spec names none
     * @param memory the bytes of memory of the machine
     * @param profiles the directory of the machine's own profiles of seccomp
     * @throws ConfigProblem if the container would run as root although it must not
     */
    static ContainerConfig container(V1Pod pod, V1Container container, Image image, String node, int attempt,
            Environment environment, List<Mount> mounts, long memory, Path profiles)
            throws ConfigProblem {
        ContainerConfig.Builder config = ContainerConfig.newBuilder()
                .setMetadata(ContainerMetadata.newBuilder().setName(container.getName()).setAttempt(attempt))
                .setImage(ImageSpec.newBuilder().setImage(container.getImage())
                        .setUserSpecifiedImage(container.getImage()))
                .addAllCommand(environment.expand(container.getCommand()))
                .addAllArgs(environment.expand(container.getArgs()))
                .setWorkingDir(container.getWorkingDir() == null ? "" : container.getWorkingDir()).addAllMounts(mounts)
                .putAllLabels(podLabels(pod, node)).putLabels(CONTAINER_NAME, container.getName())
                .putAnnotations(IMAGE, container.getImage())
                .setLogPath(container.getName() + "/" + attempt + ".log").setStdin(isTrue(container.getStdin()))
                .setStdinOnce(isTrue(container.getStdinOnce())).setTty(isTrue(container.getTty()));
        environment.variables().forEach((name, value) -> config
                .addEnvs(KeyValue.newBuilder().setKey(name).setValue(ByteString.copyFromUtf8(value))));
        return config.setLinux(LinuxContainerConfig.newBuilder().setResources(resources(pod, container, memory))
                .setSecurityContext(security(pod.getSpec(), container, image, profiles))).build();
    }

    private static SecurityProfile seccomp(@Nullable V1SeccompProfile profile, Path profiles) throws ConfigProblem {
        SecurityProfile.Builder seccomp = SecurityProfile.newBuilder();
        if (profile == null || "Unconfined".equals(profile.getType())) {
            return seccomp.setProfileType(SecurityProfile.ProfileType.Unconfined).build();
        }
        if ("RuntimeDefault".equals(profile.getType())) {
            return seccomp.build();
        }
        Path file = profiles.resolve(orEmpty(profile.getLocalhostProfile())).normalize();
        if (!file.startsWith(profiles) || file.equals(profiles)) {
            throw new ConfigProblem("the seccomp profile " + profile.getLocalhostProfile() + " is no file in "
                    + profiles);
        }
        return seccomp.setProfileType(SecurityProfile.ProfileType.Localhost).setLocalhostRef(file.toString()).build();
    }

    private static LinuxContainerSecurityContext security(V1PodSpec spec, V1Container container, Image image,
            Path profiles) throws ConfigProblem {
        V1PodSecurityContext ofPod = spec.getSecurityContext() == null
                ? new V1PodSecurityContext()
                : spec.getSecurityContext();
        V1SecurityContext own = container.getSecurityContext() == null
                ? new V1SecurityContext()
                : container.getSecurityContext();
        V1SeccompProfile seccomp = own.getSeccompProfile() != null
                ? own.getSeccompProfile()
                : ofPod.getSeccompProfile();
        LinuxContainerSecurityContext.Builder security = LinuxContainerSecurityContext.newBuilder()
                .setPrivileged(isTrue(own.getPrivileged())).setNamespaceOptions(namespaces(spec))
                .setReadonlyRootfs(isTrue(own.getReadOnlyRootFilesystem())).addAllSupplementalGroups(groups(ofPod))
                .setNoNewPrivs(Boolean.FALSE.equals(own.getAllowPrivilegeEscalation())).addAllMaskedPaths(MASKED)
                .addAllReadonlyPaths(READ_ONLY)
                .setSeccomp(seccomp(seccomp, profiles));
        Long user = own.getRunAsUser() != null ? own.getRunAsUser() : ofPod.getRunAsUser();
        Long group = own.getRunAsGroup() != null ? own.getRunAsGroup() : ofPod.getRunAsGroup();
        Long effective = user != null ? user : image.hasUid() ? Long.valueOf(image.getUid().getValue()) : null;
        Boolean notRoot = own.getRunAsNonRoot() != null ? own.getRunAsNonRoot() : ofPod.getRunAsNonRoot();
        if (isTrue(notRoot) && (effective == null || effective == 0)) {
            throw new ConfigProblem(user != null
                    ? "container's runAsUser breaks non-root policy"
                    : effective == null && !image.getUsername().isEmpty()
                            ? "container has runAsNonRoot and image has non-numeric user (" + image.getUsername()
                                    + "), cannot verify user is non-root"
                            : "container has runAsNonRoot and image will run as root");
        }
        if (effective != null) {
            security.setRunAsUser(number(effective));
        } else {
            security.setRunAsUsername(image.getUsername());
        }
        if (group != null) {
            security.setRunAsGroup(number(group));
        }
        if (own.getCapabilities() != null) {
            security.setCapabilities(Capability.newBuilder()
                    .addAllAddCapabilities(own.getCapabilities().getAdd() == null
                            ? List.of()
                            : own.getCapabilities().getAdd())
                    .addAllDropCapabilities(own.getCapabilities().getDrop() == null
                            ? List.of()
                            : own.getCapabilities().getDrop()));
        }
        return security.build();
    }

    private static LinuxContainerResources resources(V1Pod pod, V1Container container, long memory) {
        Quantity limit = limit(pod, container, "cpu");
        Quantity request = FieldRefs.amount(container, false, "cpu");
        return LinuxContainerResources.newBuilder().setCpuShares(shares(number(request == null ? limit : request)))
                .setCpuPeriod(PERIOD_MICROS).setOomScoreAdj(oomScore(pod, container, memory))
                .setMemoryLimitInBytes(bytes(limit(pod, container, "memory"))).setCpuQuota(quota(number(limit)))
                .build();
    }

    /** The limit of a container, or else of its pod as a whole. */
    private static @Nullable Quantity limit(V1Pod pod, V1Container container, String resource) {
        Quantity own = FieldRefs.amount(container, true, resource);
        V1ResourceRequirements ofPod = pod.getSpec().getResources();
        return own != null || ofPod == null ? own : orEmpty(ofPod.getLimits()).get(resource);
    }

    private static BigDecimal number(@Nullable Quantity amount) {
        return amount == null ? BigDecimal.ZERO : amount.getNumber();
    }

    private static long milli(BigDecimal cpus) {
        return cpus.movePointRight(3).min(BigDecimal.valueOf(Integer.MAX_VALUE)).longValue();
    }

    /** The weight of a control group for a request of CPUs. */
    static long shares(BigDecimal cpus) {
        return Math.clamp(milli(cpus) * 1024 / 1000, LEAST_SHARES, MOST_SHARES);
    }

    /** The microseconds of CPU in a period for a limit of CPUs; 0 without one. */
    static long quota(BigDecimal cpus) {
        return cpus.signum() == 0 ? 0 : Math.max(LEAST_QUOTA, milli(cpus) * PERIOD_MICROS / 1000);
    }

    private static long bytes(@Nullable Quantity amount) {
        return amount == null ? 0 : amount.getNumber().min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
    }

    /** The less a container requests, the sooner the kernel kills it (upstream: {@code pkg/kubelet/qos/policy.go}). */
    static long oomScore(V1Pod pod, V1Container container, long memory) {
        Integer priority = pod.getSpec().getPriority();
        String qos = QosClass.of(ModelJson.tree(pod.getSpec()));
        if (qos.equals("Guaranteed") || priority != null && priority >= 2_000_000_000) {
            return PROTECTED;
        }
        long requested = bytes(FieldRefs.amount(container, false, "memory"));
        return qos.equals("BestEffort")
                ? 1000
                : Math.clamp(1000 - Math.round(1000.0 * requested / memory), 1000 + PROTECTED, 999);
    }
}
