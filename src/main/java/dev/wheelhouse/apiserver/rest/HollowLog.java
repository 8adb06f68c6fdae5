package dev.wheelhouse.apiserver.rest;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Container;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.hollow.HollowCommand;
import dev.wheelhouse.runtime.Durations;

/**
 * The log of one run of a hollow container: what its command plainly prints, at its time, or a sentence that says why
 * there is nothing. A line that is printed in parts has a part for each.
 *
 * @param over whether the run has ended
 */
record HollowLog(List<Line> lines, boolean over) {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSSX ")
            .withZone(ZoneOffset.UTC);

    record Line(Instant at, String text) {}

    /** @throws StatusException 400 if there was no run before the present one */
    static HollowLog of(ObjectNode pod, String container, boolean previous, Instant now) {
        JsonNode status = named(pod.path("status"), container, "initContainerStatuses", "containerStatuses",
                "ephemeralContainerStatuses");
        JsonNode last = status.at("/lastState/terminated");
        if (previous && last.isMissingNode()) {
            throw Errors.badRequest("previous terminated container \"" + container + "\" in pod \"" + Meta.name(pod)
                    + "\" not found");
        }
        JsonNode run = Stream.of("/state/running", "/state/terminated").map(status::at)
                .filter(each -> !previous && each.isObject()).findFirst().orElse(last);
        Instant end = run.has("finishedAt") ? Meta.time(Json.text(run, "finishedAt")) : now;
        List<HollowCommand.Printed> printed = HollowCommand.output(ModelJson.read(
                named(pod.path("spec"), container, "initContainers", "containers", "ephemeralContainers"),
                V1Container.class));
        List<Line> lines = new ArrayList<>();
        if (printed.isEmpty()) {
            lines.add(new Line(now, "The pod " + Meta.namespace(pod) + "/" + Meta.name(pod)
                    + " runs on a hollow node: no process runs, so there is no output.\n"));
        }
        for (HollowCommand.Printed each : printed) {
            Instant at = Durations.after(Meta.time(Json.text(run, "startedAt")), each.after());
            if (!run.isMissingNode() && !at.isAfter(end)) {
                Stream.of(each.text().split("(?<=\n)")).forEach(line -> lines.add(new Line(at, line)));
            }
        }
        return new HollowLog(lines, run.has("finishedAt")
                || List.of("Succeeded", "Failed").contains(Json.text(pod, "status", "phase")));
    }

    /** The text of the lines from one on. */
    String text(int from, boolean stamped) {
        return lines.stream().skip(from).map(line -> (stamped ? STAMP.format(line.at) : "") + line.text)
                .collect(Collectors.joining());
    }

    private static JsonNode named(JsonNode parent, String name, String... lists) {
        return Stream.of(lists).flatMap(list -> parent.path(list).valueStream())
                .filter(each -> Json.text(each, "name").equals(name)).findFirst().orElse(MissingNode.getInstance());
    }
}
