package dev.wheelhouse.apiserver.kinds;

import java.util.List;
import java.util.Set;

import dev.wheelhouse.apiserver.table.TableColumn;
import dev.wheelhouse.apiserver.validation.Formats;

/** Candidates of elections by strategy (upstream: {@code pkg/registry/coordination/leasecandidate}). */
final class LeaseCandidateStrategy extends Strategy {
    LeaseCandidateStrategy() {
        super("coordination.k8s.io", "LeaseCandidate", Set.of(Trait.UPDATED_BY_VERSION), TableColumn.objectName(),
                TableColumn.of("LeaseName", "Lease that it is a candidate for.", o -> o.text("spec", "leaseName")),
                TableColumn.of("BinaryVersion", "Version of the candidate's program.",
                        o -> o.text("spec", "binaryVersion")),
                TableColumn.of("EmulationVersion", "Version that the candidate behaves like.",
                        o -> o.text("spec", "emulationVersion")),
                TableColumn.age());
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.configKey(name);
    }
}
