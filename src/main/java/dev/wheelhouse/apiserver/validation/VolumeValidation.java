package dev.wheelhouse.apiserver.validation;

import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.Quantities;

/**
 * The rules of a pod's volumes that are no rows of {@code rules.tsv} (upstream:
 * {@code pkg/apis/core/validation/validation.go}).
 */
final class VolumeValidation {
    private VolumeValidation() {}

    /** The name of a CSI driver (upstream: {@code ValidateCSIDriverName}). */
    static void driverName(Subject driver) {
        String name = driver.text();
        if (name.isEmpty()) {
            driver.problems().required(driver.path());
            return;
        }
        if (name.length() > 63) {
            driver.problems().tooLong(driver.path(), 63);
        }
        driver.problems().invalid(driver.path(), name, Formats.dnsSubdomain(name.toLowerCase(Locale.ROOT)));
    }

    /** Refuses a volume that uses the claim of an ephemeral volume of the same pod. */
    static void ownClaims(Subject volumes) {
        JsonNode pod = volumes.enclosing("kind");
        if (!PodValidation.isPod(pod)) {
            return;
        }
        Set<String> made = new HashSet<>();
        for (JsonNode volume : volumes.value()) {
            if (volume.has("ephemeral")) {
                made.add(Json.text(pod, "metadata", "name") + "-" + Json.text(volume, "name"));
            }
        }
        Problems.each(volumes.value(), volumes.path(), (volume, at) -> {
            String claim = Json.text(volume, "persistentVolumeClaim", "claimName");
            if (made.contains(claim)) {
                volumes.problems().invalid(at + ".persistentVolumeClaim.claimName", claim,
                        "must not reference a PVC that gets created for an ephemeral volume");
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
        if (path.text().startsWith("/")) {
            path.problems().invalid(path.path(), path.text(), "must be a relative path");
        }
        noBacksteps(path);
    }

    static void noBacksteps(Subject path) {
        if (List.of(path.text().split("/", -1)).contains("..")) {
            path.problems().invalid(path.path(), path.text(), "must not contain '..'");
        }
    }
}
