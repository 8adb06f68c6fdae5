package dev.wheelhouse.apiserver.kinds;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Problems;

/** Secrets (upstream: {@code pkg/registry/core/secret}). */
final class SecretStrategy extends Strategy {
    SecretStrategy() {
        super("", "Secret");
    }

    @Override
    protected boolean isCountedByName() {
        return true;
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        ConfigValidation.secret(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        ConfigValidation.secretUpdate(object, old, problems);
    }
}
