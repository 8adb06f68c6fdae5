package dev.wheelhouse.apiserver.kinds;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Problems;

/** IP addresses of Services (upstream: {@code pkg/registry/networking/ipaddress}). */
final class IPAddressStrategy extends Strategy {
    IPAddressStrategy() {
        super("networking.k8s.io", "IPAddress");
    }

    @Override
    protected boolean countsGenerations() {
        return false;
    }

    @Override
    protected List<String> nameProblems(String name) {
        return Formats.ip(name);
    }

    @Override
    protected void validate(ObjectNode object, Problems problems) {
        NetworkValidation.address(object, problems);
    }

    @Override
    protected void validateUpdate(ObjectNode object, ObjectNode old, Problems problems) {
        NetworkValidation.addressUpdate(object, old, problems);
    }
}
