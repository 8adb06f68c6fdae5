package dev.wheelhouse.apiserver.validation;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.regex.Pattern;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;

/** The methods that rows of several kinds call. */
final class SharedChecks {
    static final Checks ALL = new Checks(MethodHandles.lookup(),
            List.of(SharedChecks.class, MetadataValidation.class, PodValidation.class, SecurityValidation.class,
                    VolumeValidation.class, EnvironmentValidation.class, ResourceValidation.class));

    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+");

    private SharedChecks() {}

    /** Requires a path behind a domain, such as {@code acme.io/foo} (upstream: {@code IsDomainPrefixedPath}). */
    static void domainPrefixed(Subject subject) {
        String value = subject.text();
        int slash = value.indexOf('/');
        if (value.isEmpty()) {
            subject.problems().required(subject.path());
        } else if (slash <= 0 || slash == value.length() - 1) {
            subject.problems().invalid(subject.path(), value,
                    "must be a domain-prefixed path (such as \"acme.io/foo\")");
        } else {
            String host = value.substring(0, slash);
            String path = value.substring(slash + 1);
            subject.problems().invalid(subject.path(), host, Formats.dnsSubdomain(host));
            if (!PATH.matcher(path).matches()) {
                subject.problems().invalid(subject.path(), path,
                        "Invalid path (regex used for validation is '" + PATH + "')");
            }
        }
    }

    static void validSelector(Subject selector) {
        if (!Selectors.isValid(selector.value())) {
            selector.problems().invalid(selector.path(), (JsonNode) null, "invalid label selector.");
        }
    }

    static void portNumberOrName(Subject port) {
        JsonNode value = port.value();
        List<String> wrong = value.isString()
                ? Formats.portName(value.stringValue())
                : Formats.portNumber(value.asLong(0));
        for (String message : wrong) {
            port.problems().invalid(port.path(), value.isMissingNode() ? IntNode.valueOf(0) : value, message);
        }
    }
}
