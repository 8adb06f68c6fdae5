package dev.wheelhouse.apiserver.admission;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.GoQuote;

/**
 * The Pod Security Standards: what the profiles {@code baseline} and {@code restricted} forbid, by minor version
 * (upstream: {@code k8s.io/pod-security-admission/policy}). Pure functions.
 */
final class PodSecurityChecks {
    private static final Set<String> CAPABILITIES = Set.of("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID",
            "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT");
    private static final Set<String> VOLUMES = Set.of("name", "configMap", "csi", "downwardAPI", "emptyDir",
            "ephemeral", "image", "persistentVolumeClaim", "projected", "secret");
    private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");
    /** Each with the version from which it is allowed. */
    private static final Map<String, Integer> SELINUX_TYPES = Map.of("", 0, "container_t", 0, "container_init_t", 0,
            "container_kvm_t", 0, "container_engine_t", 31);
    private static final Map<String, Integer> SYSCTLS = Map.ofEntries(Map.entry("kernel.shm_rmid_forced", 0),
            Map.entry("net.ipv4.ip_local_port_range", 0), Map.entry("net.ipv4.tcp_syncookies", 0),
            Map.entry("net.ipv4.ping_group_range", 0), Map.entry("net.ipv4.ip_unprivileged_port_start", 0),
            Map.entry("net.ipv4.ip_local_reserved_ports", 27), Map.entry("net.ipv4.tcp_keepalive_time", 29),
            Map.entry("net.ipv4.tcp_fin_timeout", 29), Map.entry("net.ipv4.tcp_keepalive_intvl", 29),
            Map.entry("net.ipv4.tcp_keepalive_probes", 29), Map.entry("net.ipv4.tcp_rmem", 32),
            Map.entry("net.ipv4.tcp_wmem", 32));
    private static final String CONTEXT = "securityContext";
    private static final String APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String SECCOMP_FIELD = "seccompProfile";
    private static final String SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP_OF = "container.seccomp.security.alpha.kubernetes.io/";

    /** In the order of the messages: those of the profile {@code baseline}, then the others, each by their names. */
    private static final List<Check> CHECKS = List.of(
            new Check("appArmorProfile", 0, PodSecurityChecks::appArmor),
            new Check("capabilities_baseline", 0, PodSecurityChecks::capabilities),
            new Check("hostNamespaces", 0, PodSecurityChecks::namespaces),
            new Check("hostPathVolumes", 0, PodSecurityChecks::hostPaths),
            new Check("hostPorts", 0, PodSecurityChecks::hostPorts),
            new Check("hostProbesAndHostLifecycle", 34, PodSecurityChecks::hosts),
            new Check("privileged", 0,
                    (pod, version) -> pod.containers(context -> isTrue(context, "privileged"))
                            .mustNot("privileged", "set securityContext.privileged=true")),
            new Check("procMount", 0,
                    (pod, version) -> version >= 35 && pod.hasOwnUsers() ? null : procMount(pod, version)),
            new Check("seLinuxOptions", 0, PodSecurityChecks::seLinux),
            new Check("seccompProfile_baseline", 0,
                    (pod, version) -> version < 19
                            ? seccompAnnotations(pod)
                            : seccomp(pod)),
            new Check("sysctls", 0, PodSecurityChecks::sysctls),
            new Check("windowsHostProcess", 0,
                    (pod, version) -> pod.all(context -> isTrue(context.path("windowsOptions"), "hostProcess"))
                            .mustNot("hostProcess", "set securityContext.windowsOptions.hostProcess=true")),

            new Check("allowPrivilegeEscalation", 8, true, null, PodSecurityChecks::escalation),
            new Check("capabilities_restricted", 22, true, "capabilities_baseline",
                    PodSecurityChecks::fewCapabilities),
            new Check("procMount_restricted", 35, true, "procMount", PodSecurityChecks::procMount),
            new Check("restrictedVolumes", 0, true, "hostPathVolumes", PodSecurityChecks::volumes),
            new Check("runAsNonRoot", 0, true, null, PodSecurityChecks::nonRoot),
            new Check("runAsUser", 23, true, null, PodSecurityChecks::user),
            new Check("seccompProfile_restricted", 19, true, "seccompProfile_baseline",
                    PodSecurityChecks::seccompIsSet));

    private PodSecurityChecks() {}

    /** A part of a pod that a check forbids, in a few words and in detail. */
    record Finding(String reason, String detail) {
        @Override
        public String toString() {
            return reason + " (" + detail + ")";
        }
    }

    private interface Rule {
        @Nullable
        Finding find(PodView pod, int version);
    }

    /**
     * @param since the first minor version that has it
     * @param overrides the check of the profile {@code baseline} in whose place it stands; null if there is none
     */
    private record Check(String name, int since, boolean restricted, @Nullable String overrides, Rule rule) {
        Check(String name, int since, Rule rule) {
            this(name, since, false, null, rule);
        }
    }

    /** The findings of a profile; none for a pod that it allows. */
    static List<Finding> of(JsonNode metadata, JsonNode spec, boolean restricted, int version) {
        List<Check> checks = CHECKS.stream()
                .filter(check -> check.since <= version && (restricted || !check.restricted))
                .toList();
        Set<String> overridden = checks.stream().flatMap(check -> Stream.ofNullable(check.overrides))
                .collect(Collectors.toSet());
        PodView pod = new PodView(metadata.path("annotations"), spec);
        return checks.stream().filter(check -> !overridden.contains(check.name))
                .flatMap(check -> Stream.ofNullable(check.rule.find(pod, version))).toList();
    }

    /** The pod and the containers that have bad values, and these values. */
    private record Setters(boolean pod, Collection<String> containers, TreeSet<String> values) {
        String who() {
            return Stream.of(pod ? Stream.of("pod") : Stream.<String>of(),
                    containers.isEmpty() ? Stream.<String>of() : Stream.of(named("container", containers)))
                    .flatMap(some -> some).collect(Collectors.joining(" and "));
        }

        boolean isEmpty() {
            return !pod && containers.isEmpty();
        }

        @Nullable
        Finding mustNot(String reason, String what) {
            return isEmpty() ? null : new Finding(reason, who() + " must not " + what);
        }

        /** That the containers use something on the host. */
        @Nullable
        Finding use(String reason, String what, String list) {
            return isEmpty()
                    ? null
                    : new Finding(reason, who() + (containers.size() == 1 ? " uses " : " use ") + plural(what, values)
                            + " " + list);
        }
    }

    private record PodView(JsonNode annotations, JsonNode spec) {
        boolean hasOwnUsers() {
            return !spec.path("hostUsers").asBoolean(true);
        }

        boolean isWindows() {
            return Json.text(spec, "os", "name").equals("windows");
        }

        Stream<JsonNode> each() {
            return Stream.of("initContainers", "containers", "ephemeralContainers")
                    .flatMap(list -> spec.path(list).valueStream());
        }

        List<String> names(Predicate<JsonNode> wanted) {
            return each().filter(wanted).map(container -> Json.text(container, "name")).toList();
        }

        /** The bad values that a function finds in each container. */
        Setters inEach(Function<JsonNode, Stream<String>> bad) {
            TreeSet<String> values = new TreeSet<>();
            List<String> names = new ArrayList<>();
            each().forEach(container -> {
                List<String> found = bad.apply(container).toList();
                values.addAll(found);
                if (!found.isEmpty()) {
                    names.add(Json.text(container, "name"));
                }
            });
            return new Setters(false, names, values);
        }

        /** The bad values that a function finds in the security context of each container. */
        Setters containers(Function<JsonNode, Stream<String>> bad) {
            return inEach(container -> bad.apply(container.path(CONTEXT)));
        }

        /** The same, and in that of the pod. */
        Setters all(Function<JsonNode, Stream<String>> bad) {
            Setters found = containers(bad);
            List<String> own = bad.apply(spec.path(CONTEXT)).toList();
            found.values.addAll(own);
            return new Setters(!own.isEmpty(), found.containers, found.values);
        }
    }

    private static String plural(String word, Collection<String> of) {
        return of.size() == 1 ? word : word + "s";
    }

    private static String quoted(Collection<String> words) {
        return "\"" + String.join("\", \"", words) + "\"";
    }

    private static String named(String word, Collection<String> names) {
        return plural(word, names) + " " + quoted(names);
    }

    private static Stream<String> isTrue(JsonNode object, String field) {
        return object.path(field).asBoolean(false) ? Stream.of("true") : Stream.of();
    }

    private static Stream<String> texts(JsonNode context, String capabilities) {
        return Json.texts(context.path("capabilities").path(capabilities)).stream();
    }

    /** The type of a profile, if it is set to one that does not confine. */
    private static Stream<String> profile(JsonNode context, String field) {
        return context.path(field).isObject() && !PROFILES.contains(Json.text(context, field, "type"))
                ? Stream.of(Json.text(context, field, "type"))
                : Stream.of();
    }

    private static @Nullable Finding appArmor(PodView pod, int version) {
        Setters set = pod.all(context -> profile(context, "appArmorProfile"));
        List<String> annotations = pod.annotations.propertyStream()
                .filter(each -> each.getKey().startsWith(APPARMOR)
                        && !each.getValue().asString("").matches("|runtime/default|localhost/(?s:.*)"))
                .map(each -> each.getKey() + "=" + GoQuote.of(each.getValue().asString(""))).sorted().toList();
        List<String> values = Stream.concat(set.values.stream(), annotations.stream()).toList();
        return values.isEmpty()
                ? null
                : new Finding(plural("forbidden AppArmor profile", values),
                        Stream.of(set.who(), annotations.isEmpty() ? "" : plural("annotation", annotations))
                                .filter(who -> !who.isEmpty()).collect(Collectors.joining(" and "))
                                + " must not set AppArmor profile type to " + quoted(values));
    }

    private static @Nullable Finding capabilities(PodView pod, int version) {
        Setters added = pod.containers(context -> texts(context, "add")
                .filter(name -> !CAPABILITIES.contains(name)));
        return added.mustNot("non-default capabilities", "include " + quoted(added.values)
                + " in securityContext.capabilities.add");
    }

    private static @Nullable Finding fewCapabilities(PodView pod, int version) {
        if (version >= 25 && pod.isWindows()) {
            return null;
        }
        List<String> keep = pod.names(container -> texts(container.path(CONTEXT), "drop").noneMatch("ALL"::equals));
        Setters added = pod.containers(context -> texts(context, "add")
                .filter(name -> !name.equals("NET_BIND_SERVICE")));
        List<String> details = new ArrayList<>();
        if (!keep.isEmpty()) {
            details.add(named("container", keep) + " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        if (!added.isEmpty()) {
            details.add(added.who() + " must not include " + quoted(added.values)
                    + " in securityContext.capabilities.add");
        }
        return details.isEmpty() ? null : new Finding("unrestricted capabilities", String.join("; ", details));
    }

    private static @Nullable Finding namespaces(PodView pod, int version) {
        String shared = Stream.of("hostNetwork", "hostPID", "hostIPC")
                .filter(field -> pod.spec.path(field).asBoolean(false)).map(field -> field + "=true")
                .collect(Collectors.joining(", "));
        return shared.isEmpty() ? null : new Finding("host namespaces", shared);
    }

    private static @Nullable Finding hostPaths(PodView pod, int version) {
        List<String> names = pod.spec.path("volumes").valueStream().filter(volume -> volume.has("hostPath"))
                .map(volume -> Json.text(volume, "name")).toList();
        return names.isEmpty() ? null : new Finding("hostPath volumes", named("volume", names));
    }

    private static @Nullable Finding volumes(PodView pod, int version) {
        List<String> names = new ArrayList<>();
        TreeSet<String> types = new TreeSet<>();
        for (JsonNode volume : pod.spec.path("volumes")) {
            List<String> kinds = volume.propertyNames().stream().filter(kind -> !kind.equals("name")).toList();
            if (kinds.stream().noneMatch(VOLUMES::contains)) {
                names.add(Json.text(volume, "name"));
                types.add(kinds.isEmpty() ? "unknown" : kinds.getFirst());
            }
        }
        return new Setters(false, names, types).isEmpty()
                ? null
                : new Finding("restricted volume types", named("volume", names)
                        + (names.size() == 1 ? " uses " : " use ") + plural("restricted volume type", types) + " "
                        + quoted(types));
    }

    private static @Nullable Finding hostPorts(PodView pod, int version) {
        Setters used = pod.inEach(container -> container.path("ports").valueStream()
                .map(port -> port.path("hostPort").asString("0")).filter(port -> !port.equals("0")));
        return used.use("hostPort", "hostPort", String.join(", ", used.values));
    }

    private static @Nullable Finding hosts(PodView pod, int version) {
        Setters used = pod.inEach(container -> Stream.of(container.path("livenessProbe"),
                container.path("readinessProbe"), container.path("startupProbe"),
                container.path("lifecycle").path("postStart"), container.path("lifecycle").path("preStop"))
                .flatMap(handler -> Stream.of(Json.text(handler, "httpGet", "host"),
                        Json.text(handler, "tcpSocket", "host")))
                .filter(host -> !host.isEmpty()));
        return new Setters(false, new TreeSet<>(used.containers), used.values)
                .use("probe or lifecycle host", "probe or lifecycle host", quoted(used.values));
    }

    private static @Nullable Finding procMount(PodView pod, int version) {
        Setters set = pod.containers(context -> Stream.of(context.path("procMount").asString("Default"))
                .filter(mount -> !mount.equals("Default")));
        return set.mustNot("procMount", "set securityContext.procMount to " + quoted(set.values));
    }

    private static @Nullable Finding seLinux(PodView pod, int version) {
        Setters set = pod.all(context -> {
            JsonNode options = context.path("seLinuxOptions");
            String type = Json.text(options, "type");
            return Stream.of(SELINUX_TYPES.getOrDefault(type, version + 1) <= version ? "" : "type " + type,
                    Json.text(options, "user").isEmpty() ? "" : "user",
                    Json.text(options, "role").isEmpty() ? "" : "role")
                    .filter(what -> !what.isEmpty());
        });
        List<String> types = set.values.stream().filter(what -> what.startsWith("type "))
                .map(what -> what.substring("type ".length())).toList();
        List<String> data = new ArrayList<>(types.isEmpty() ? List.of() : List.of(named("type", types)));
        Stream.of("user", "role").filter(set.values::contains).forEach(what -> data.add(what + " may not be set"));
        return set.isEmpty()
                ? null
                : new Finding("seLinuxOptions", set.who() + " set forbidden securityContext.seLinuxOptions: "
                        + String.join("; ", data));
    }

    private static @Nullable Finding seccompAnnotations(PodView pod) {
        List<String> bad = Stream
                .concat(Stream.of(SECCOMP), pod.names(container -> true).stream().map(SECCOMP_OF::concat))
                .distinct().filter(pod.annotations::has)
                .filter(key -> !Json.text(pod.annotations, key)
                        .matches("runtime/default|docker/default|localhost/(?s:.*)"))
                .map(key -> key + "=" + GoQuote.of(Json.text(pod.annotations, key))).sorted().toList();
        return bad.isEmpty()
                ? null
                : new Finding(SECCOMP_FIELD, "forbidden " + plural("annotation", bad) + " " + String.join(", ", bad));
    }

    private static @Nullable Finding seccomp(PodView pod) {
        Setters set = pod.all(context -> profile(context, SECCOMP_FIELD));
        return set.mustNot(SECCOMP_FIELD, "set securityContext.seccompProfile.type to " + quoted(set.values));
    }

    private static @Nullable Finding seccompIsSet(PodView pod, int version) {
        if (version >= 25 && pod.isWindows()) {
            return null;
        }
        Finding wrong = seccomp(pod);
        return wrong != null || pod.spec.path(CONTEXT).has(SECCOMP_FIELD)
                ? wrong
                : unset(pod, SECCOMP_FIELD, SECCOMP_FIELD,
                        "seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"");
    }

    /** That containers do not set a field, where the pod does not set it either. */
    private static @Nullable Finding unset(PodView pod, String field, String reason, String what) {
        List<String> names = pod.names(container -> !container.path(CONTEXT).has(field));
        return names.isEmpty()
                ? null
                : new Finding(reason, "pod or " + named("container", names) + " must set securityContext." + what);
    }

    private static @Nullable Finding sysctls(PodView pod, int version) {
        String bad = pod.spec.path(CONTEXT).path("sysctls").valueStream().map(sysctl -> Json.text(sysctl, "name"))
                .filter(name -> SYSCTLS.getOrDefault(name, version + 1) > version).collect(Collectors.joining(", "));
        return bad.isEmpty() ? null : new Finding("forbidden sysctls", bad);
    }

    private static @Nullable Finding escalation(PodView pod, int version) {
        List<String> names = pod.names(container -> container.path(CONTEXT).path("allowPrivilegeEscalation")
                .asBoolean(true));
        return names.isEmpty() || version >= 25 && pod.isWindows()
                ? null
                : new Finding("allowPrivilegeEscalation != false", named("container", names)
                        + " must set securityContext.allowPrivilegeEscalation=false");
    }

    private static @Nullable Finding nonRoot(PodView pod, int version) {
        if (version >= 35 && pod.hasOwnUsers()) {
            return null;
        }
        Finding wrong = pod.all(context -> context.path("runAsNonRoot").asBoolean(true) ? Stream.of() : Stream.of(""))
                .mustNot("runAsNonRoot != true", "set securityContext.runAsNonRoot=false");
        return wrong != null || pod.spec.path(CONTEXT).has("runAsNonRoot")
                ? wrong
                : unset(pod, "runAsNonRoot", "runAsNonRoot != true", "runAsNonRoot=true");
    }

    private static @Nullable Finding user(PodView pod, int version) {
        return version >= 35 && pod.hasOwnUsers()
                ? null
                : pod.all(context -> context.path("runAsUser").asInt(1) == 0 ? Stream.of("0") : Stream.of())
                        .mustNot("runAsUser=0", "set runAsUser=0");
    }
}
