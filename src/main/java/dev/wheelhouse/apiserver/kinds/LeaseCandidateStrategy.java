package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import dev.wheelhouse.apiserver.validation.Formats;

/** Candidates of elections by strategy (upstream: {@code pkg/registry/coordination/leasecandidate}). */
final class LeaseCandidateStrategy extends Strategy {
    LeaseCandidateStrategy() {
        super("coordination.k8s.io", "LeaseCandidate");
    }

    @Override
    public boolean allowsUnconditionalUpdate() {
        return false;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.configKey(name);
    }
}
