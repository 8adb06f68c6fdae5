package dev.wheelhouse.apiserver.validation;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;

/**
 * The rules of the containers of one pod spec (upstream: {@code pkg/apis/core/validation/validation.go}). For one
 * thread.
 */
final class ContainerValidation {
    private final JsonNode spec;
    private final String path;
    private final Map<String, JsonNode> volumes;
    private final Problems problems;
    private final Set<String> claimNames = new HashSet<>();

    /** @param volumes the valid volumes, by name */
    ContainerValidation(JsonNode spec, String path, Map<String, JsonNode> volumes, Problems problems) {
        this.spec = spec;
        this.path = path;
        this.volumes = volumes;
        this.problems = problems;
        spec.path("resourceClaims").forEach(claim -> claimNames.add(Json.text(claim, "name")));
    }

    void validate() {
        Set<String> names = new HashSet<>();
        regular(names);
        init(names);
        ephemeral(names);
    }

    private void regular(Set<String> names) {
        JsonNode containers = spec.path("containers");
        if (containers.isEmpty()) {
            problems.required(path + ".containers");
            return;
        }
        Set<String> hostPorts = new HashSet<>();
        Problems.each(containers, path + ".containers", (container, at) -> {
            common(container, at);
            uniqueName(container, at, names);
            running(container, at);
            restartPolicy(container, at);
        });
        Problems.each(containers, path + ".containers", (container, place) -> hostPorts(container, place, hostPorts));
    }

    private void init(Set<String> names) {
        Problems.each(spec, path, "initContainers", (container, at) -> {
            common(container, at);
            restartPolicy(container, at);
            uniqueName(container, at, names);
            hostPorts(container, at, new HashSet<>());
            if (Json.text(container, "restartPolicy").equals("Always")) {
                running(container, at);
                return;
            }
            for (String field : List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
                if (Json.at(container, field) != null) {
                    problems.forbidden(at + "." + field,
                            "may not be set for init containers without restartPolicy=Always");
                }
            }
        });
    }

    private void ephemeral(Set<String> names) {
        Set<String> others = Set.copyOf(names);
        Problems.each(spec, path, "ephemeralContainers", (container, at) -> {
            common(container, at);
            uniqueName(container, at, names);
            String target = Json.text(container, "targetContainerName");
            if (!target.isEmpty() && !others.contains(target)) {
                problems.notFound(at + ".targetContainerName", target);
            }
            for (String field : List.of("ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
                    "resources")) {
                JsonNode value = Json.at(container, field);
                if (value != null && !value.isEmpty()) {
                    problems.forbidden(at + "." + field, "cannot be set for an Ephemeral Container");
                }
            }
        });
    }

    private void common(JsonNode container, String at) {
        problems.formed(at + ".name", Json.text(container, "name"), Formats::dnsLabel);
        problems.filled(container, at, "image");
        problems.oneOf(at + ".terminationMessagePolicy", Json.text(container, "terminationMessagePolicy"), "File",
                "FallbackToLogsOnError");
        ports(container, at + ".ports");
        EnvironmentValidation.validate(container, at, problems);
        mounts(container, at);
        problems.oneOf(at + ".imagePullPolicy", Json.text(container, "imagePullPolicy"), "Always", "IfNotPresent",
                "Never");
        ResourceValidation.requirements(container.path("resources"), at + ".resources", claimNames, problems);
        securityContext(container.path("securityContext"), at + ".securityContext");
    }

    private void uniqueName(JsonNode container, String at, Set<String> names) {
        String name = Json.text(container, "name");
        problems.unique(names, name, at + ".name", "\"" + name + "\"");
    }

    private void ports(JsonNode container, String list) {
        Set<String> names = new HashSet<>();
        Problems.each(container.path("ports"), list, (port, at) -> {
            String name = Json.text(port, "name");
            if (!name.isEmpty()) {
                List<String> wrong = Formats.portName(name);
                problems.invalid(at + ".name", name, wrong);
                if (wrong.isEmpty() && !names.add(name)) {
                    problems.duplicate(at + ".name", "\"" + name + "\"");
                }
            }
            long number = Json.number(port, 0, "containerPort");
            if (number == 0) {
                problems.required(at + ".containerPort");
            } else {
                Formats.portNumber(number).forEach(message -> problems.invalid(at + ".containerPort", number, message));
            }
            long host = Json.number(port, 0, "hostPort");
            if (host != 0) {
                Formats.portNumber(host).forEach(message -> problems.invalid(at + ".hostPort", host, message));
            }
            problems.oneOf(at + ".protocol", Json.text(port, "protocol"), "SCTP", "TCP", "UDP");
        });
    }

    private void hostPorts(JsonNode container, String at, Set<String> seen) {
        Problems.each(container, at, "ports", (port, here) -> {
            long host = Json.number(port, 0, "hostPort");
            String identity = Json.text(port, "protocol") + "/" + Json.text(port, "hostIP") + "/" + host;
            if (host != 0 && !seen.add(identity)) {
                problems.duplicate(here + ".hostPort", "\"" + identity + "\"");
            }
        });
    }

    private void mounts(JsonNode container, String at) {
        Set<String> mountPaths = new HashSet<>();
        Set<String> devices = new HashSet<>();
        container.path("volumeDevices").forEach(device -> devices.add(Json.text(device, "name")));
        Problems.each(container, at, "volumeMounts", (mount, here) -> {
            String name = Json.text(mount, "name");
            String mountPath = Json.text(mount, "mountPath");
            volume(name, here);
            if (mountPath.isEmpty()) {
                problems.required(here + ".mountPath");
            }
            if (!mountPaths.add(mountPath)) {
                problems.invalid(here + ".mountPath", mountPath, "must be unique");
            }
            if (devices.contains(name)) {
                problems.invalid(here + ".name", name, "must not already exist in volumeDevices");
            }
            String subPath = Json.text(mount, "subPath");
            if (!subPath.isEmpty()) {
                VolumeValidation.relative(subPath, at + ".volumeMounts.subPath", problems);
            }
            String expression = Json.text(mount, "subPathExpr");
            if (!expression.isEmpty()) {
                if (!subPath.isEmpty()) {
                    problems.invalid(here + ".subPathExpr", expression,
                            "subPathExpr and subPath are mutually exclusive");
                }
                VolumeValidation.relative(expression, at + ".volumeMounts.subPathExpr", problems);
            }
        });
        Problems.each(container, at, "volumeDevices", (device, here) -> {
            volume(Json.text(device, "name"), here);
            problems.filled(device, here, "devicePath");
        });
    }

    private void volume(String name, String at) {
        if (name.isEmpty()) {
            problems.required(at + ".name");
        }
        if (!volumes.containsKey(name)) {
            problems.notFound(at + ".name", name);
        }
    }

    /** Checks lifecycle hooks and probes, which only containers that keep running may have. */
    private void running(JsonNode container, String at) {
        JsonNode lifecycle = container.path("lifecycle");
        for (String hook : List.of("postStart", "preStop")) {
            if (Json.at(lifecycle, hook) != null) {
                ProbeValidation.handler(lifecycle.path(hook), at + ".lifecycle." + hook,
                        Json.number(spec, 30, "terminationGracePeriodSeconds"), problems);
            }
        }
        for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
            if (Json.at(container, probe) != null) {
                ProbeValidation.probe(container.path(probe), probe, at + "." + probe, problems);
            }
        }
    }

    private void restartPolicy(JsonNode container, String at) {
        String policy = Json.text(container, "restartPolicy");
        if (!policy.isEmpty()) {
            problems.oneOf(at + ".restartPolicy", policy, "Always", "Never", "OnFailure");
        } else if (!container.path("restartPolicyRules").isEmpty()) {
            problems.required(at + ".restartPolicy", "must specify restartPolicy when restart rules are used");
        }
        JsonNode rules = container.path("restartPolicyRules");
        if (rules.size() > 20) {
            problems.tooMany(at + ".restartPolicyRules", rules.size(), 20);
        }
        Problems.each(rules, at + ".restartPolicyRules", this::restartRule);
    }

    private void restartRule(JsonNode rule, String at) {
        problems.supported(at + ".action", Json.text(rule, "action"), "Restart", "RestartAllContainers");
        JsonNode exitCodes = rule.path("exitCodes");
        if (exitCodes.isMissingNode()) {
            problems.required(at + ".exitCodes", "must be specified");
            return;
        }
        problems.supported(at + ".exitCodes.operator", Json.text(exitCodes, "operator"), "In", "NotIn");
        if (exitCodes.path("values").size() > 255) {
            problems.tooMany(at + ".exitCodes.values", exitCodes.path("values").size(), 255);
        }
    }

    private void securityContext(JsonNode context, String at) {
        for (String field : List.of("runAsUser", "runAsGroup")) {
            if (Json.at(context, field) != null) {
                long id = Json.number(context, 0, field);
                if (id < 0 || id > Integer.MAX_VALUE) {
                    problems.invalid(at + "." + field, id, "must be between 0 and 2147483647, inclusive");
                }
            }
        }
        boolean privileged = context.path("privileged").asBoolean(false);
        JsonNode escalation = Json.at(context, "allowPrivilegeEscalation");
        if (escalation != null && !escalation.booleanValue() && privileged) {
            problems.invalid(at, context,
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
    }
}
