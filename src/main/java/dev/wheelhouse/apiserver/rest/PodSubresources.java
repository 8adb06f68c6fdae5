package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.Accept;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.Bodies;
import dev.wheelhouse.apiserver.protocol.QueryParameters;
import dev.wheelhouse.apiserver.protocol.Renderer;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.protocol.WriteContext;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/** Binding and logs of pods (upstream: {@code pkg/registry/core/pod/storage}). */
record PodSubresources(Reads reads, Writes writes, Renderer renderer, Kubelets kubelets, Clock clock) {
    private static final ResourceType BINDING = new ResourceType("", "v1", "bindings", "Binding", true);

    /**
     * Assigns a pod to a node.
     *
     * @throws StatusException 404, 409 if the pod has a node, is being deleted, or waits at a scheduling gate
     */
    ApiResponse bind(Target target, ApiRequest request) {
        Accept accept = Accept.parse(request, target);
        ObjectNode binding = Bodies.object(request, BINDING);
        WriteContext context = WriteContext.of(request, target, false);
        String namespace = Meta.namespace(binding);
        if (!namespace.isEmpty() && !namespace.equals(target.namespace())) {
            throw Errors.foreignNamespace();
        }
        String name = Meta.name(binding);
        if (!target.name().isEmpty() && !target.name().equals(name)) {
            throw Errors.badRequest("name in URL does not match name in Binding object");
        }
        checkTarget(binding.path("target"));
        if (name.isEmpty()) {
            throw Errors.badRequest("Name parameter required.");
        }
        ObjectNode admitted = writes.admit(target, binding, request);
        reads.store().retryOnConflict("pods", target.namespace(), name, current -> {
            if (current == null) {
                throw Errors.notFound(ResourceType.PODS, name);
            }
            ObjectNode pod = current.tree();
            assign(pod, admitted, name);
            return context.dryRun() ? current : reads.store().update("pods", pod, current.version());
        });
        return renderer.response(201, Errors.success().put("code", 201), accept.ofObject());
    }

    private void assign(ObjectNode pod, ObjectNode binding, String name) {
        checkBindable(pod, binding, name);
        Json.child(pod, "spec").put("nodeName", Json.text(binding, "target", "name"));
        ObjectNode status = Json.child(pod, "status");
        status.remove("nominatedNodeName");
        for (String field : List.of("annotations", "labels")) {
            if (Json.at(binding, "metadata", field) instanceof ObjectNode given && !given.isEmpty()) {
                Json.child(Meta.of(pod), field).setAll(given);
            }
        }
        withoutCondition(status, "PodScheduled").addObject().put("type", "PodScheduled").put("status", "True")
                .put("lastTransitionTime", Meta.time(clock.now())).putNull("lastProbeTime");
    }

    /** Upstream does not convert these problems to a Status, so clients see internal errors. */
    private static void checkTarget(JsonNode node) {
        List<String> problems = new ArrayList<>(0);
        String kind = Json.text(node, "kind");
        if (!kind.isEmpty() && !kind.equals("Node")) {
            problems.add("target.kind: Unsupported value: \"" + kind + "\": supported values: \"Node\", \"<empty>\"");
        }
        if (Json.text(node, "name").isEmpty()) {
            problems.add("target.name: Required value");
        }
        if (!problems.isEmpty()) {
            throw Errors.internal(Errors.all(problems));
        }
    }

    private static void checkBindable(ObjectNode pod, ObjectNode binding, String name) {
        ResourceType type = new ResourceType("", "v1", "pods/binding", "Pod", true);
        for (String field : List.of("uid", "resourceVersion")) {
            String wanted = Json.text(binding, "metadata", field);
            String present = Json.text(pod, "metadata", field);
            if (!wanted.isEmpty() && !wanted.equals(present)) {
                String shown = field.equals("uid") ? "UID" : "ResourceVersion";
                throw Errors.conflict(ResourceType.PODS, name,
                        "StorageError: invalid object, Code: 4, Key: /registry/pods/" + Meta.namespace(pod) + "/"
                                + name + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + shown
                                + " in precondition: " + wanted + ", " + shown + " in object meta: " + present);
            }
        }
        if (Meta.isDeleting(pod)) {
            throw Errors.conflict(type, name, "pod " + name + " is being deleted, cannot be assigned to a host");
        }
        String node = Json.text(pod, "spec", "nodeName");
        if (!node.isEmpty()) {
            throw Errors.conflict(type, name, "pod " + name + " is already assigned to node \"" + node + "\"");
        }
        if (!pod.path("spec").path("schedulingGates").isEmpty()) {
            throw Errors.conflict(type, name, "pod " + name + " has non-empty .spec.schedulingGates");
        }
    }

    /** Removes a condition and returns all others. */
    static ArrayNode withoutCondition(ObjectNode status, String type) {
        ArrayNode conditions = status.withArray("conditions");
        conditions.removeIf(condition -> Json.text(condition, "type").equals(type));
        return conditions;
    }

    /** The options of a connection, which are in its path and its query. Their kind names the fields. */
    static ObjectNode options(Target target, ApiRequest request) {
        QueryParameters query = request.query();
        ResourceType kind = target.info().bodyOf(target.subresource().replaceFirst("/.*", "")).type();
        ObjectNode options = Json.object().put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        if (target.subresource().startsWith("proxy")) {
            String path = target.subresource().substring("proxy".length()) + (request.path().endsWith("/") ? "/" : "");
            return path.isEmpty() ? options : options.put("path", path);
        }
        for (String port : query.all("ports")) {
            if (port.matches("[0-9]{1,5}")) {
                options.withArray("ports").add(Integer.parseInt(port));
            }
        }
        for (String flag : List.of("stdin", "stdout", "stderr", "tty")) {
            if (query.flag(flag)) {
                options.put(flag, true);
            }
        }
        if (!query.get("container").isEmpty()) {
            options.put("container", query.get("container"));
        }
        Json.putTexts(options, "command", query.all("command"));
        return options;
    }

    /** Exec, attach and port-forward. @throws StatusException 400 for a pod of a hollow node, which runs no process */
    ApiResponse connect(Target target, ApiRequest request) {
        ObjectNode pod = reads.find(target).tree();
        if (!target.subresource().equals("portforward")) {
            checkContainer(pod, request.query());
        }
        ApiResponse answer = kubelets.connect(pod, container(pod, request.query()), target.subresource(),
                request.query());
        if (answer != null) {
            return answer;
        }
        throw Kubelets.nothingRuns(pod, target.subresource());
    }

    private static String container(ObjectNode pod, QueryParameters query) {
        String asked = query.get("container");
        return asked.isEmpty() ? Json.text(pod.path("spec").path("containers").path(0), "name") : asked;
    }

    /** @throws StatusException 400 if the pod has no such container, or several and the request names none */
    private static void checkContainer(ObjectNode pod, QueryParameters query) {
        List<String> names = Stream.of("initContainers", "containers", "ephemeralContainers")
                .flatMap(field -> pod.path("spec").path(field).valueStream()).map(each -> Json.text(each, "name"))
                .toList();
        String name = query.get("container");
        if (name.isEmpty() && pod.path("spec").path("containers").size() != 1) {
            throw Errors.badRequest("a container name must be specified for pod " + Meta.name(pod)
                    + ", choose one of: [" + String.join(" ", names) + "]");
        }
        if (!name.isEmpty() && !names.contains(name)) {
            throw Errors.badRequest("container " + name + " is not valid for pod " + Meta.name(pod));
        }
    }

    ApiResponse log(Target target, ApiRequest request) {
        QueryParameters query = request.query();
        Long tail = query.number("tailLines");
        Long bytes = query.number("limitBytes");
        Long since = query.number("sinceSeconds");
        StoredObject pod = reads.find(target);
        Problems problems = new Problems();
        if (tail != null && tail < 0) {
            problems.invalid("tailLines", tail, "must be greater than or equal to 0");
        }
        if (bytes != null && bytes < 1) {
            problems.invalid("limitBytes", bytes, "must be greater than 0");
        }
        if (since != null && query.has("sinceTime")) {
            problems.forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified");
        }
        if (since != null && since < 1) {
            problems.invalid("sinceSeconds", since, "must be greater than 0");
        }
        if (query.has("stream")) {
            problems.forbidden("stream", "may not be specified");
        }
        Errors.refuse(problems, "", "PodLogOptions", target.name());
        checkContainer(pod.tree(), query);
        if (Json.text(pod.tree(), "spec", "nodeName").isEmpty()) {
            return new ApiResponse.Content(204, "", new byte[0], List.of(), null);
        }
        String container = container(pod.tree(), query);
        Instant from = since == null
                ? Meta.time(query.get("sinceTime"))
                : Durations.before(clock.now(), Duration.ofSeconds(since));
        ApiResponse answer = kubelets.logs(pod.tree(), container, query);
        if (answer != null) {
            return answer;
        }
        HollowLog log = HollowLog.of(pod.tree(), container, query.flag("previous"), clock.now());
        int old = (int) log.lines().stream().filter(line -> line.at().isBefore(from)).count();
        int first = tail == null ? old : (int) Math.max(old, log.lines().size() - tail);
        byte[] text = log.text(first, query.flag("timestamps")).getBytes(StandardCharsets.UTF_8);
        ApiResponse.Content logs = new ApiResponse.Content(200, "text/plain; charset=utf-8",
                bytes == null || bytes > text.length ? text : Arrays.copyOf(text, bytes.intValue()), List.of(), null);
        return query.flag("follow") && bytes == null && !query.flag("previous")
                ? logs.withLive(further(target, pod.uid(), container, log, query))
                : logs;
    }

    /** Further lines of a log, until its container has ended. */
    private ApiResponse.Live further(Target target, String uid, String container, HollowLog first,
            QueryParameters query) {
        AtomicReference<HollowLog> shown = new AtomicReference<>(first);
        return new ApiResponse.Live.Follow(() -> {
            StoredObject pod = reads.store().get("pods", target.namespace(), target.name());
            HollowLog before = Objects.requireNonNull(shown.get());
            if (before.over() || pod == null || !pod.uid().equals(uid)) {
                return null;
            }
            HollowLog now = HollowLog.of(pod.tree(), container, false, clock.now());
            shown.set(now);
            return now.text(before.lines().size(), query.flag("timestamps")).getBytes(StandardCharsets.UTF_8);
        });
    }
}
