package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/**
 * The rules of a pod's volumes that are no rows of {@code rules.tsv} (upstream:
 * {@code pkg/apis/core/validation/validation.go}).
 */
final class VolumeValidation {
    private static final List<String> PROJECTED = List.of("secret", "configMap", "downwardAPI", "serviceAccountToken",
            "clusterTrustBundle", "podCertificate");
    /** Names have 223 characters at most. The pattern takes time quadratic in the length. */
    private static final int MOST_OF_ISCSI = 4_096;
    private static final Map<String, Pattern> ISCSI_NAMES = Map.of("iqn",
            Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.[A-Za-z0-9.-]+:[^,;*&$|\\s]+$"), "eui",
            Pattern.compile("^eui.[A-Za-z0-9]{16}$"), "naa", Pattern.compile("^naa.[A-Za-z0-9]{32}$"));
    private static final Pattern HOST_AND_PORT = Pattern.compile("(?:[^:\\[\\]]*|\\[[^\\[\\]]*\\]):[^:\\[\\]]*");

    private VolumeValidation() {}

    /** The claims of ephemeral volumes have valid names, and no other volume of the pod uses them. */
    static void ownClaims(Subject volumes) {
        JsonNode pod = volumes.enclosing("kind");
        String name = Json.text(pod, "metadata", "name");
        if (!PodValidation.isPod(pod) || name.isEmpty()) {
            return;
        }
        Set<String> made = new HashSet<>();
        Problems.each(volumes.value(), volumes.path(), (volume, at) -> {
            String own = Json.text(volume, "name");
            if (Json.at(volume, "ephemeral") != null && !own.isEmpty()) {
                String claim = name + "-" + own;
                made.add(claim);
                Formats.dnsSubdomain(claim).forEach(wrong -> volumes.problems().invalid(at + ".name", own,
                        "PVC name " + StringNode.valueOf(claim) + ": " + wrong));
            }
        });
        Problems.each(volumes.value(), volumes.path(), (volume, at) -> {
            String claim = Json.text(volume, "persistentVolumeClaim", "claimName");
            if (made.contains(claim)) {
                volumes.problems().invalid(at + ".persistentVolumeClaim.claimName", claim,
                        "must not reference a PVC that gets created for an ephemeral volume");
            }
        });
    }

    /** The size that the specification of a claim requests. */
    static void storageRequest(Subject spec) {
        String storage = Json.text(spec.value(), "resources", "requests", "storage");
        BigDecimal size = Quantities.parse(storage);
        if (size == null) {
            spec.problems().required(spec.path() + ".resources[storage]");
        } else if (size.signum() <= 0) {
            spec.problems().invalid(spec.path() + ".resources[storage]", storage, "must be greater than zero");
        }
    }

    static void exclusiveMode(Subject modes) {
        Set<String> given = new HashSet<>();
        modes.value().forEach(mode -> given.add(mode.asString("")));
        if (given.size() > 1 && given.contains("ReadWriteOncePod")) {
            modes.problems().forbidden(modes.path(), "may not use ReadWriteOncePod with other access modes");
        }
    }

    /** The name of an iSCSI node: {@code iqn}, {@code eui} or {@code naa}. */
    static void iscsiName(Subject name) {
        String text = name.text();
        String kind = text.substring(0, Math.min(text.length(), 3));
        Pattern form = ISCSI_NAMES.get(kind);
        if (form == null) {
            name.problems().invalid(name.path(), text, "must be valid format starting with iqn, eui, or naa");
        } else if (text.length() > MOST_OF_ISCSI || !form.matcher(text).find()) {
            name.problems().invalid(name.path(), text, "must be valid format");
        }
    }

    static void iscsiPortal(Subject volume) {
        JsonNode iscsi = volume.value().path("iscsi");
        String name = Json.text(volume.value(), "name");
        if (Json.at(iscsi, "initiatorName") != null
                && MetadataValidation.utf8Length(name + ":" + Json.text(iscsi, "targetPortal")) > 64) {
            volume.problems().invalid(volume.path() + ".name", name, "Total length of <volume name>:"
                    + "<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.");
        }
    }

    static void quobyteRegistry(Subject registry) {
        if (Json.text(registry.object(), "tenant").length() > 64) {
            registry.problems().required(registry.path().replaceFirst("registry$", "tenant"),
                    "must be a UUID and may not exceed a length of 64 characters");
            return;
        }
        for (String pair : registry.text().split(",", -1)) {
            if (!HOST_AND_PORT.matcher(pair).matches()) {
                registry.problems().invalid(registry.path(), registry.text(),
                        "must be a host:port pair or multiple pairs separated by commas");
            }
        }
    }

    static void driverOption(Subject option) {
        String namespace = "." + option.text().toLowerCase(Locale.ROOT).replaceFirst("/.*", "");
        if (namespace.endsWith(".kubernetes.io") || namespace.endsWith(".k8s.io")) {
            option.problems().invalid(option.path(), option.text(),
                    "kubernetes.io and k8s.io namespaces are reserved");
        }
    }

    /** The files of a projected volume have different paths, and each source is of one kind. */
    static void projected(Subject volume) {
        Set<String> paths = new HashSet<>();
        Problems.each(volume.value(), volume.path(), "sources", (source, at) -> {
            long kinds = PROJECTED.stream().filter(kind -> Json.at(source, kind) != null).count();
            for (String kind : PROJECTED) {
                for (JsonNode item : source.path(kind).path("items")) {
                    String path = Json.text(item, "path");
                    if (!path.isEmpty() && !paths.add(path)) {
                        volume.problems().invalid(volume.path(),
                                kind.equals("downwardAPI") ? path : Json.text(source, kind, "name"),
                                "conflicting duplicate paths");
                    }
                }
            }
            if (kinds > 1) {
                volume.problems().forbidden(at, "may not specify more than 1 volume type per source");
            }
        });
    }

    static void sizeLimit(Subject limit) {
        BigDecimal size = Quantities.parse(limit.text());
        if (size != null && size.signum() < 0) {
            limit.problems().forbidden(limit.path(), "SizeLimit field must be a valid resource quantity");
        }
    }

    /** A path below a directory: neither absolute nor with a step up. */
    static void relative(Subject path) {
        relative(path.text(), path.path(), path.problems());
    }

    static void relative(String text, String path, Problems problems) {
        if (text.startsWith("/")) {
            problems.invalid(path, text, "must be a relative path");
        }
        noBacksteps(text, path, "must not contain '..'", problems);
    }

    /** A relative path that does not begin with two dots, because the kubelet's own files do. */
    static void localPath(Subject path) {
        relative(path);
        if (path.text().startsWith("..") && !path.text().startsWith("../")) {
            path.problems().invalid(path.path(), path.text(), "must not start with '..'");
        }
    }

    static void noBacksteps(Subject path) {
        noBacksteps(path.text(), path.path(), "must not contain '..'", path.problems());
    }

    static void devicePath(Subject path) {
        noBacksteps(path.text(), path.path(), "can not contain backsteps ('..')", path.problems());
    }

    private static void noBacksteps(String text, String path, String detail, Problems problems) {
        if (("/" + text + "/").contains("/../")) {
            problems.invalid(path, text, detail);
        }
    }

    static void sameSource(Subject spec) {
        if (spec.value().get("dataSource") instanceof ObjectNode source
                && spec.value().get("dataSourceRef") instanceof ObjectNode reference) {
            boolean same = List.of("apiGroup", "kind", "name").stream()
                    .allMatch(field -> Json.text(source, field).equals(Json.text(reference, field)));
            boolean elsewhere = !Json.text(reference, "namespace").isEmpty();
            if (elsewhere || !same) {
                spec.problems().invalid(spec.path(), Json.object(), elsewhere
                        ? "may not be specified when dataSourceRef.namespace is specified"
                        : "must match dataSourceRef");
            }
        }
    }
}
