package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/** The rules of a pod's volumes (upstream: {@code pkg/apis/core/validation/validation.go}). */
public final class VolumeValidation {
    private static final String MODE_RANGE = "must be a number between 0 and 0777 (octal), both inclusive";
    /** In upstream's order, which decides which one of two sources is refused. */
    private static final List<String> SOURCES = List.of("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk",
            "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs", "persistentVolumeClaim", "rbd", "cinder",
            "cephfs", "quobyte", "flocker", "downwardAPI", "fc", "flexVolume", "configMap", "azureFile",
            "vsphereVolume",
            "photonPersistentDisk", "portworxVolume", "azureDisk", "storageos", "projected", "scaleIO", "csi",
            "ephemeral", "image");

    private VolumeValidation() {}

    /** The name of a CSI driver (upstream: {@code ValidateCSIDriverName}). */
    public static void driverName(String name, String path, Problems problems) {
        if (name.isEmpty()) {
            problems.required(path);
            return;
        }
        if (name.length() > 63) {
            problems.tooLong(path, 63);
        }
        problems.invalid(path, name, Formats.dnsSubdomain(name.toLowerCase(Locale.ROOT)));
    }

    /** Checks the volumes and returns the valid ones by name. */
    static Map<String, JsonNode> validate(JsonNode volumes, String path, String podName, Problems problems) {
        Map<String, JsonNode> valid = new HashMap<>();
        Problems.each(volumes, path, (volume, at) -> {
            int before = problems.size();
            source(volume, at, problems);
            String name = Json.text(volume, "name");
            problems.formed(at + ".name", name, Formats::dnsLabel);
            if (valid.containsKey(name)) {
                problems.duplicate(at + ".name", "\"" + name + "\"");
            }
            if (problems.size() == before) {
                valid.put(name, volume);
            }
        });
        claimsOfItsOwn(volumes, path, podName, problems);
        return valid;
    }

    /** Refuses a volume that uses the claim of an ephemeral volume of the same pod. */
    private static void claimsOfItsOwn(JsonNode volumes, String path, String podName, Problems problems) {
        if (podName.isEmpty()) {
            return;
        }
        Set<String> made = new HashSet<>();
        for (JsonNode volume : volumes) {
            if (volume.has("ephemeral")) {
                made.add(podName + "-" + Json.text(volume, "name"));
            }
        }
        Problems.each(volumes, path, (volume, at) -> {
            String claim = Json.text(volume, "persistentVolumeClaim", "claimName");
            if (made.contains(claim)) {
                problems.invalid(at + ".persistentVolumeClaim.claimName", claim,
                        "must not reference a PVC that gets created for an ephemeral volume");
            }
        });
    }

    private static void source(JsonNode volume, String path, Problems problems) {
        int found = 0;
        for (String source : SOURCES) {
            JsonNode value = Json.at(volume, source);
            if (value == null) {
                continue;
            }
            if (found++ > 0) {
                problems.forbidden(path + "." + source, "may not specify more than 1 volume type");
            } else {
                content(source, value, path + "." + source, problems);
            }
        }
        if (found == 0) {
            problems.required(path, "must specify a volume type");
        }
    }

    /** Checks the source of a volume, of a pod or by itself. */
    public static void content(String source, JsonNode value, String path, Problems problems) {
        switch (source) {
            case "hostPath" -> {
                problems.filled(value, path, "path");
                noBacksteps(Json.text(value, "path"), path + ".path", problems);
                problems.oneOfIfSet(path + ".type", Json.text(value, "type"), "", "BlockDevice", "CharDevice",
                        "Directory",
                        "DirectoryOrCreate", "File", "FileOrCreate", "Socket");
            }
            case "emptyDir" -> {
                BigDecimal limit = Quantities.parse(Json.text(value, "sizeLimit"));
                if (limit != null && limit.signum() < 0) {
                    problems.forbidden(path + ".sizeLimit", "SizeLimit field must be a valid resource quantity");
                }
            }
            case "local" -> {
                problems.filled(value, path, "path");
                noBacksteps(Json.text(value, "path"), path + ".path", problems);
            }
            case "secret" -> {
                problems.filled(value, path, "secretName");
                mode(value, "defaultMode", path, problems);
                items(value, path, problems);
            }
            case "configMap" -> {
                problems.filled(value, path, "name");
                mode(value, "defaultMode", path, problems);
                items(value, path, problems);
            }
            case "persistentVolumeClaim" -> problems.filled(value, path, "claimName");
            case "nfs" -> {
                problems.filled(value, path, "server");
                problems.filled(value, path, "path");
                if (!Json.text(value, "path").startsWith("/")) {
                    problems.invalid(path + ".path", Json.text(value, "path"), "must be an absolute path");
                }
            }
            case "downwardAPI" -> {
                mode(value, "defaultMode", path, problems);
                downwardFiles(value, path, problems);
            }
            case "projected" -> {
                mode(value, "defaultMode", path, problems);
                Problems.each(value, path, "sources",
                        (projection, place) -> projection(projection, place, problems));
            }
            case "csi" -> problems.filled(value, path, "driver");
            case "gitRepo" -> problems.filled(value, path, "repository");
            case "ephemeral" -> {
                if (Json.at(value, "volumeClaimTemplate") == null) {
                    problems.required(path + ".volumeClaimTemplate");
                }
                MetadataValidation.ofTemplate(value.path("volumeClaimTemplate").path("metadata"),
                        path + ".volumeClaimTemplate.metadata", problems);
            }
            default -> {
                // The other sources have no rules that matter without such storage.
            }
        }
    }

    private static void projection(JsonNode projection, String path, Problems problems) {
        for (String source : List.of("secret", "configMap", "downwardAPI", "serviceAccountToken")) {
            JsonNode value = Json.at(projection, source);
            if (value == null) {
                continue;
            }
            String at = path + "." + source;
            switch (source) {
                case "secret", "configMap" -> {
                    problems.filled(value, at, "name");
                    items(value, at, problems);
                }
                case "downwardAPI" -> downwardFiles(value, at, problems);
                default -> {
                    problems.filled(value, at, "path");
                    if (Json.number(value, 3600, "expirationSeconds") < 600) {
                        problems.invalid(at + ".expirationSeconds", Json.number(value, 0, "expirationSeconds"),
                                "may not specify a duration less than 10 minutes");
                    }
                }
            }
        }
    }

    private static void downwardFiles(JsonNode source, String path, Problems problems) {
        Problems.each(source.path("items"), path, (file, at) -> {
            problems.filled(file, at, "path");
            relative(Json.text(file, "path"), at + ".path", problems);
            boolean field = Json.at(file, "fieldRef") != null;
            boolean resource = Json.at(file, "resourceFieldRef") != null;
            if (field && resource) {
                problems.invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
            } else if (!field && !resource) {
                problems.required(at, "one of fieldRef and resourceFieldRef is required");
            }
            mode(file, "mode", at, problems);
        });
    }

    private static void items(JsonNode source, String path, Problems problems) {
        Problems.each(source, path, "items", (item, at) -> {
            problems.filled(item, at, "key");
            problems.filled(item, at, "path");
            relative(Json.text(item, "path"), at + ".path", problems);
            if (Json.text(item, "path").startsWith("..")) {
                problems.invalid(at + ".path", Json.text(item, "path"), "must not start with '..'");
            }
            mode(item, "mode", at, problems);
        });
    }

    private static void mode(JsonNode value, String field, String path, Problems problems) {
        long mode = Json.number(value, 0, field);
        if (mode < 0 || mode > 0777) {
            problems.invalid(path + "." + field, mode, MODE_RANGE);
        }
    }

    /** Checks a relative path that does not leave its directory. */
    static void relative(String value, String path, Problems problems) {
        if (value.startsWith("/")) {
            problems.invalid(path, value, "must be a relative path");
        }
        noBacksteps(value, path, problems);
    }

    private static void noBacksteps(String value, String path, Problems problems) {
        if (List.of(value.split("/", -1)).contains("..")) {
            problems.invalid(path, value, "must not contain '..'");
        }
    }
}
