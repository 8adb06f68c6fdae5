package dev.wheelhouse.apiserver.schema;

import java.math.BigInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;

/** The rules of leases and of candidates for them (upstream: {@code pkg/apis/coordination/validation}). */
final class LeaseValidation {
    private static final String OLDEST = "OldestEmulationVersion";
    /** Upstream names the field twice. */
    private static final String STRATEGY = "spec.strategy.strategy";
    private static final Pattern SEMANTIC = Pattern.compile(
            "(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?(\\+[0-9A-Za-z.-]+)?");

    private LeaseValidation() {}

    static void lease(ObjectNode lease, Problems problems) {
        JsonNode spec = lease.path("spec");
        long duration = Json.number(spec, 1, "leaseDurationSeconds");
        if (duration <= 0) {
            problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
        }
        problems.nonNegative(spec, "spec", "leaseTransitions");
        String strategy = Json.text(spec, "strategy");
        if (spec.has("strategy")) {
            strategy(strategy, problems);
        }
        if (!Json.text(spec, "preferredHolder").isEmpty() && strategy.isEmpty()) {
            problems.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
        }
    }

    static void candidateUpdate(ObjectNode candidate, ObjectNode old, Problems problems) {
        candidate(candidate, problems);
        problems.immutable("spec.leaseName", candidate.path("spec").get("leaseName"),
                old.path("spec").get("leaseName"));
    }

    static void candidate(ObjectNode candidate, Problems problems) {
        JsonNode spec = candidate.path("spec");
        if (Json.text(spec, "leaseName").isEmpty()) {
            problems.required("spec.leaseName");
        }
        String emulation = Json.text(spec, "emulationVersion");
        String binary = Json.text(spec, "binaryVersion");
        Matcher emulated = SEMANTIC.matcher(emulation);
        Matcher built = SEMANTIC.matcher(binary);
        if (!emulation.isEmpty() && !emulated.matches()) {
            problems.invalid("spec.emulationVersion", emulation, "must be a valid semantic version");
        }
        if (binary.isEmpty()) {
            problems.required("spec.binaryVersion");
        } else if (!built.matches()) {
            problems.invalid("spec.binaryVersion", binary, "must be a valid semantic version");
        }
        if (built.matches() && emulated.matches() && isOlder(built, emulated)) {
            problems.invalid("spec.binaryVersion", binary, "must be greater than or equal to `emulationVersion`");
        }
        String strategy = Json.text(spec, "strategy");
        if (strategy.isEmpty()) {
            problems.required("spec.strategy");
            return;
        }
        if (strategy.equals(OLDEST) && (emulation.isEmpty() || emulation.equals("0.0.0"))) {
            problems.required("spec.emulationVersion",
                    "must be specified when `strategy` is 'OldestEmulationVersion'");
        }
        strategy(strategy, problems);
    }

    private static boolean isOlder(Matcher version, Matcher other) {
        for (int i = 1; i <= 3; i++) {
            int compared = new BigInteger(version.group(i))
                    .compareTo(new BigInteger(other.group(i)));
            if (compared != 0) {
                return compared < 0;
            }
        }
        return false;
    }

    /** A strategy of other software has a domain. */
    private static void strategy(String strategy, Problems problems) {
        if (strategy.indexOf('/') >= 0) {
            problems.invalid(STRATEGY, strategy, Formats.qualifiedName(strategy));
        } else if (!strategy.equals(OLDEST)) {
            problems.notSupported(STRATEGY, strategy, OLDEST);
        }
    }
}
