package dev.wheelhouse.apiserver.validation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Sysctls;

/**
 * The rules of security contexts, and of the annotations that came before them, that are no rows of {@code rules.tsv}
 * (upstream: {@code pkg/apis/core/validation/validation.go}).
 */
final class SecurityValidation {
    /** The lists of containers, in the order in which upstream visits them. */
    private static final List<String> LISTS = List.of("initContainers", "containers", "ephemeralContainers");
    private static final String SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP_OF = "container.seccomp.security.alpha.kubernetes.io/";
    private static final String APP_ARMOR_OF = "container.apparmor.security.beta.kubernetes.io/";
    private static final String LOCALHOST = "localhost/";

    private static final int MOST_OF_SYSCTL = 253;
    private static final Pattern SYSCTL = Pattern
            .compile("([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?");
    private static final Set<String> SYSCTLS_OF_IPC = Set.of("kernel.sem", "kernel.shmall", "kernel.shmmax",
            "kernel.shmmni", "kernel.shm_rmid_forced", "kernel.shm", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni",
            "kernel.msg");

    private static final int MOST_OF_DOMAIN = 255;
    private static final int MOST_OF_USER = 104;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Pattern NETBIOS = Pattern.compile("[^\\\\/:*?\"<>|.][^\\\\/:*?\"<>|]{0,14}");
    private static final Pattern DNS_LABEL = Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?");
    private static final Pattern DOTS_AND_SPACES = Pattern.compile("[. ]+");
    private static final Pattern NOT_OF_USERS = Pattern.compile("[\"/\\\\:;|=,+*?<>@\\[\\]]");

    private SecurityValidation() {}

    /** The name of a kernel parameter, which must not belong to a namespace that the pod shares with its host. */
    static void sysctl(Subject name) {
        String text = name.text();
        if (text.length() > MOST_OF_SYSCTL || !SYSCTL.matcher(text).matches()) {
            name.problems().invalid(name.path(), text,
                    "must have at most " + MOST_OF_SYSCTL + " characters and match regex ^" + SYSCTL + "$");
        } else if (!name.isNew("sysctl", name.value())) {
            name.problems().duplicate(name.path(), name.value().toString());
        }
        JsonNode spec = name.enclosing("containers");
        String dotted = Sysctls.dotted(text);
        if (dotted.startsWith("net.") && spec.path("hostNetwork").asBoolean(false)) {
            name.problems().invalid(name.path(), text, "may not be specified when 'hostNetwork' is true");
        } else if ((SYSCTLS_OF_IPC.contains(dotted) || dotted.startsWith("fs.mqueue."))
                && spec.path("hostIPC").asBoolean(false)) {
            name.problems().invalid(name.path(), text, "may not be specified when 'hostIPC' is true");
        }
    }

    static void windowsUser(Subject name) {
        List<String> wrong = new ArrayList<>(0);
        String[] parts = name.text().split("\\\\", -1);
        if (CONTROL.matcher(name.text()).find()) {
            wrong.add(" cannot contain control characters");
        } else if (parts.length > 2) {
            wrong.add(" cannot contain more than one backslash");
        } else {
            String domain = parts[0];
            if (parts.length == 2 && domain.length() > MOST_OF_DOMAIN) {
                wrong.add("'s Domain length must be under 256 characters");
            }
            if (parts.length == 2 && !NETBIOS.matcher(domain).matches() && !Stream.of(domain.split("\\.", -1))
                    .allMatch(label -> DNS_LABEL.matcher(label).matches())) {
                wrong.add("'s Domain doesn't match the NetBios nor the DNS format");
            }
            String user = parts[parts.length - 1];
            if (user.isEmpty()) {
                wrong.add("'s User cannot be empty");
            } else if (MetadataValidation.utf8Length(user) > MOST_OF_USER) {
                wrong.add("'s User length must not be longer than " + MOST_OF_USER + " characters");
            }
            if (DOTS_AND_SPACES.matcher(user).matches()) {
                wrong.add("'s User cannot contain only periods or spaces");
            }
            if (NOT_OF_USERS.matcher(user).find()) {
                wrong.add("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
            }
        }
        wrong.forEach(problem -> name.problems().invalid(name.path(), name.text(), "runAsUserName" + problem));
    }

    /** Either all containers are processes of the host or none is. The value is a pod's specification. */
    static void hostProcess(Subject spec) {
        JsonNode ofPod = hostProcess(spec.value());
        int containers = 0;
        int processes = 0;
        for (String list : LISTS) {
            int i = 0;
            for (JsonNode container : spec.value().path(list)) {
                JsonNode own = hostProcess(container);
                if (own.isBoolean() && ofPod.isBoolean() && !own.equals(ofPod)) {
                    spec.problems().invalid(
                            Problems.at(spec.path() + "." + list, i) + ".securityContext.windowsOptions.hostProcess",
                            own, "pod hostProcess value must be identical if both are specified, was " + ofPod);
                }
                containers++;
                processes += (own.isBoolean() ? own : ofPod).asBoolean(false) ? 1 : 0;
                i++;
            }
        }
        if (processes > 0 && processes < containers) {
            spec.problems().invalid(spec.path(), "",
                    "If pod contains any hostProcess containers then all containers must be HostProcess containers");
        }
        if (processes > 0 && !spec.value().path("hostNetwork").asBoolean(false)) {
            spec.problems().invalid(spec.path() + ".hostNetwork", Json.read("false"),
                    "hostNetwork must be true if pod contains any hostProcess containers");
        }
    }

    private static JsonNode hostProcess(JsonNode object) {
        return object.path("securityContext").path("windowsOptions").path("hostProcess");
    }

    /** The annotations that named profiles before there were fields for them. */
    static void profileAnnotations(Subject annotations) {
        Set<String> containers = new HashSet<>();
        for (Map.Entry<String, JsonNode> annotation : annotations.value().properties()) {
            String key = annotation.getKey();
            String profile = annotation.getValue().asString("");
            if (key.equals(SECCOMP) || key.startsWith(SECCOMP_OF)) {
                seccomp(profile, annotations.path() + "." + key, annotations.problems());
            } else if (key.startsWith(APP_ARMOR_OF)) {
                if (containers.isEmpty()) {
                    LISTS.forEach(list -> annotations.root().path("spec").path(list)
                            .forEach(container -> containers.add(Json.text(container, "name"))));
                }
                String at = Problems.key(annotations.path(), key);
                String container = key.substring(APP_ARMOR_OF.length());
                if (!containers.contains(container)) {
                    annotations.problems().invalid(at, container, "container not found");
                }
                if (!profile.startsWith(LOCALHOST)
                        && !Set.of("", "runtime/default", "unconfined").contains(profile)) {
                    annotations.problems().invalid(at, profile,
                            "invalid AppArmor profile name: " + annotation.getValue());
                }
            }
        }
    }

    private static void seccomp(String profile, String path, Problems problems) {
        if (profile.startsWith(LOCALHOST)) {
            VolumeValidation.relative(profile.substring(LOCALHOST.length()), path, problems);
        } else if (!Set.of("runtime/default", "docker/default", "unconfined").contains(profile)) {
            problems.invalid(path, profile, "must be a valid seccomp profile");
        }
    }

    /** Annotations and fields that name profiles agree. The value is a pod or a pod template. */
    static void profilesMatch(Subject pod) {
        JsonNode annotations = pod.value().path("metadata").path("annotations");
        if (annotations.isEmpty()) {
            return;
        }
        JsonNode spec = pod.value().path("spec");
        JsonNode context = spec.path("securityContext");
        String path = pod.path().isEmpty() ? "spec" : pod.path() + ".spec";
        matches(annotations.path(SECCOMP), context.path("seccompProfile"), path + ".securityContext.seccompProfile",
                "seccomp", pod.problems());
        boolean isWindows = Json.text(spec, "os", "name").equals("windows");
        // An annotation of a pod is the field of a container without one, and overrides the pod's.
        boolean inherits = !PodValidation.isPod(pod.value());
        for (String list : LISTS) {
            Problems.each(spec, path, list, (container, at) -> {
                String name = Json.text(container, "name");
                JsonNode own = container.path("securityContext");
                matches(annotations.path(SECCOMP_OF + name), own.path("seccompProfile"),
                        at + ".securityContext.seccompProfile", "seccomp", pod.problems());
                if (!isWindows) {
                    matches(annotations.path(APP_ARMOR_OF + name),
                            (inherits && !own.path("appArmorProfile").isObject() ? context : own)
                                    .path("appArmorProfile"),
                            at + ".securityContext.appArmorProfile", "apparmor", pod.problems());
                }
            });
        }
    }

    private static void matches(JsonNode annotation, JsonNode profile, String path, String kind, Problems problems) {
        if (!annotation.isString() || !profile.isObject()) {
            return;
        }
        String text = annotation.stringValue();
        String type = Json.text(profile, "type");
        boolean sameType = switch (type) {
            case "Unconfined" -> text.equals("unconfined");
            case "RuntimeDefault" -> text.equals("runtime/default")
                    || kind.equals("seccomp") && text.equals("docker/default");
            case "Localhost" -> text.startsWith(LOCALHOST);
            default -> true;
        };
        if (!sameType) {
            problems.forbidden(path + ".type", kind + " type in annotation and field must match");
        } else if (type.equals("Localhost")
                && !text.substring(LOCALHOST.length()).equals(profile.path("localhostProfile").asString(null))) {
            problems.forbidden(path + ".localhostProfile", kind + " profile in annotation and field must match");
        }
    }
}
