package dev.wheelhouse.apiserver.validation;

import java.util.List;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;

import dev.wheelhouse.apiserver.validation.Rules.Check;

/** The methods that rows of several kinds call. */
final class SharedChecks {
    static final Map<String, Check> ALL = Map.ofEntries(
            Map.entry("labels", MetadataValidation::labels),
            Map.entry("annotations", MetadataValidation::annotations),
            Map.entry("noNewFinalizers", MetadataValidation::noNewFinalizers),
            Map.entry("oneController", MetadataValidation::oneController),
            Map.entry("templateMetadata", s -> MetadataValidation.ofTemplate(s.value(), s.path(), s.problems())),
            Map.entry("standardFinalizer", MetadataValidation::standardFinalizer),
            Map.entry("mirror", PodValidation::mirror),
            Map.entry("deletionCost", PodValidation::deletionCost),
            Map.entry("annotationsStay", s -> PodValidation.annotationsUpdate(s.value(), s.old(), s.problems())),
            Map.entry("hostPort", PodValidation::hostPort),
            Map.entry("hostPortOfContainer", PodValidation::hostPortOfContainer),
            Map.entry("hostNetworkPorts", PodValidation::hostNetworkPorts),
            Map.entry("labelKeys", PodValidation::labelKeys),
            Map.entry("notRepeated", PodValidation::notRepeated),
            Map.entry("searchDomain", PodValidation::searchDomain),
            Map.entry("searchDomains", PodValidation::searchDomains),
            Map.entry("sysctl", SecurityValidation::sysctl),
            Map.entry("windowsUser", SecurityValidation::windowsUser),
            Map.entry("hostProcess", SecurityValidation::hostProcess),
            Map.entry("profileAnnotations", SecurityValidation::profileAnnotations),
            Map.entry("profilesMatch", SecurityValidation::profilesMatch),
            Map.entry("storageRequest", VolumeValidation::storageRequest),
            Map.entry("exclusiveMode", VolumeValidation::exclusiveMode),
            Map.entry("iscsiName", VolumeValidation::iscsiName),
            Map.entry("iscsiPortal", VolumeValidation::iscsiPortal),
            Map.entry("quobyteRegistry", VolumeValidation::quobyteRegistry),
            Map.entry("driverOption", VolumeValidation::driverOption),
            Map.entry("projected", VolumeValidation::projected),
            Map.entry("localPath", VolumeValidation::localPath),
            Map.entry("devicePath", VolumeValidation::devicePath),
            Map.entry("fieldInFile", EnvironmentValidation::fieldInFile),
            Map.entry("divisor", EnvironmentValidation::divisor),
            Map.entry("claims", ResourceValidation::claims),
            Map.entry("sleep", PodValidation::sleep),
            Map.entry("tolerationValue", PodValidation::tolerationValue),
            Map.entry("ownClaims", VolumeValidation::ownClaims),
            Map.entry("sizeLimit", VolumeValidation::sizeLimit),
            Map.entry("relative", VolumeValidation::relative),
            Map.entry("noBacksteps", VolumeValidation::noBacksteps),
            Map.entry("driverName", VolumeValidation::driverName),
            Map.entry("podResources", s -> ResourceValidation.ofPod(s.value(), s.path() + ".resources", s.problems())),
            Map.entry("amountOfContainer", s -> ResourceValidation.amount(s, ResourceValidation::name)),
            Map.entry("amountOfPod", s -> ResourceValidation.amount(s, ResourceValidation::nameOfPod)),
            Map.entry("withinLimit", ResourceValidation::withinLimit),
            Map.entry("hugePages", ResourceValidation::hugePages),
            Map.entry("resourceName", s -> ResourceValidation.name(s.text(), s.path(), s.problems())),
            Map.entry("fieldRef", EnvironmentValidation::field),
            Map.entry("containerResource", EnvironmentValidation::resource),
            Map.entry("sources", EnvironmentValidation::sources),
            Map.entry("domainPrefixed", s -> s.problems().domainPrefixed(s.path(), s.text())),
            Map.entry("portNumberOrName", SharedChecks::portNumberOrName),
            Map.entry("validSelector", SharedChecks::validSelector),
            Map.entry("joinedLabel", s -> joined(s, "", Formats.dns1035Label(s.text()))));

    private SharedChecks() {}

    /** Adds one problem that joins all that is wrong. */
    static void joined(Subject subject, String before, List<String> wrong) {
        if (!wrong.isEmpty()) {
            subject.problems().invalid(subject.path(), subject.text(), before + String.join(",", wrong));
        }
    }

    private static void validSelector(Subject selector) {
        if (!Selectors.isValid(selector.value())) {
            selector.problems().invalid(selector.path(), (JsonNode) null, "invalid label selector.");
        }
    }

    private static void portNumberOrName(Subject port) {
        JsonNode value = port.value();
        List<String> wrong = value.isString()
                ? Formats.portName(value.stringValue())
                : Formats.portNumber(value.asLong(0));
        for (String message : wrong) {
            port.problems().invalid(port.path(), value.isMissingNode() ? IntNode.valueOf(0) : value, message);
        }
    }
}
