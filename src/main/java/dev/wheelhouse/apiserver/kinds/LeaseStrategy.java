package dev.wheelhouse.apiserver.kinds;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.stream.Stream;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Subject;

/** Leases (upstream: {@code pkg/registry/coordination/lease}). */
final class LeaseStrategy extends Strategy {
    LeaseStrategy() {
        super("coordination.k8s.io", "Lease");
    }

    static void versionsOrder(Subject candidate) {
        String binary = Json.text(candidate.value(), "binaryVersion");
        String emulated = Json.text(candidate.value(), "emulationVersion");
        if (Formats.named("semver").apply(binary).isEmpty() && Formats.named("semver").apply(emulated).isEmpty()
                && Arrays.compare(core(binary), core(emulated)) < 0) {
            candidate.problems().invalid(candidate.path() + ".binaryVersion", binary,
                    "must be greater than or equal to `emulationVersion`");
        }
    }

    private static BigInteger[] core(String version) {
        return Stream.of(version.split("[-+]")[0].split("\\.")).map(BigInteger::new).toArray(BigInteger[]::new);
    }

    static void leaseStrategy(Subject strategy) {
        String name = strategy.text();
        if (name.contains("/")) {
            strategy.problems().invalid(strategy.path() + ".strategy", name, Formats.qualifiedName(name));
        } else if (!name.isEmpty()) {
            strategy.problems().supported(strategy.path() + ".strategy", name, "OldestEmulationVersion");
        }
    }
}
