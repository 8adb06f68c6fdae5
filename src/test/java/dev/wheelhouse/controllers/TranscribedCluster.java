package dev.wheelhouse.controllers;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Node;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.rest.Transcript;
import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.event.EventRecorder;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.scheduler.Scheduler;
import dev.wheelhouse.scheduler.SchedulerConfig;
import dev.wheelhouse.world.Cluster;
import dev.wheelhouse.world.FlagsOfControllers;
import dev.wheelhouse.world.Requests;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A cluster with some of the built-in controllers, which work to the end after each step of a transcript. The steps and
 * words that it adds to those of a server are in {@code transcripts/README.md}.
 */
final class TranscribedCluster implements Transcript.World {
    private final Cluster cluster;
    private final JsonNode server;
    private final Duration patience;
    private final List<Controller> controllers = new ArrayList<>();
    private JsonNode plan = Json.object().path("plan");
    private final List<Loop> scheduler = new ArrayList<>();
    private final Map<String, List<String>> told = new HashMap<>();

    /** @param server the names of the controllers, and what else the file says about the server */
    TranscribedCluster(JsonNode server) {
        this.server = server;
        cluster = new Cluster(server.path("types").valueStream().map(type -> type(type.asString()))
                .toArray(ResourceType[]::new));
        patience = Duration.parse(server.path("patience").asString("PT0S"));
        start(server.path("options"));
        if (server.has("scheduler")) {
            scheduler.addAll(new Scheduler(SchedulerConfig.DEFAULT, cluster.client(), cluster.informers(),
                    name -> EventRecorder.NONE, cluster.clock,
                    Meters.NONE, 1, 1).loops());
        }
    }

    private void start(JsonNode options) {
        Map<String, String> flags = new HashMap<>();
        options.properties().forEach(flag -> flags.put(flag.getKey(), flag.getValue().asString()));
        controllers.clear();
        for (JsonNode name : server.path("controllers")) {
            ControllerDescriptor descriptor = BuiltInControllers.all().stream()
                    .filter(each -> each.name().equals(name.asString())).findFirst().orElseThrow();
            controllers.add(descriptor.factory().apply(cluster.context(FlagsOfControllers.options(flags))));
        }
    }

    private List<Loop> loops() {
        return Stream.concat(controllers.stream().flatMap(each -> each.loops().stream()), scheduler.stream()).toList();
    }

    /** The type of a plural, or of {@code PLURAL.VERSION.GROUP}. */
    private static ResourceType type(String words) {
        String[] parts = words.split("\\.", 3);
        return parts.length < 3
                ? Transcript.type(words)
                : new ResourceType(parts[2], parts[1], parts[0], parts[0].substring(0, 1).toUpperCase(Locale.ROOT)
                        + parts[0].substring(1, parts[0].length() - 1), true);
    }

    private static ObjectKey key(ResourceType type, String name) {
        String[] parts = name.split(":", 2);
        return !type.namespaced()
                ? ObjectKey.cluster(name)
                : parts.length == 2 ? ObjectKey.of(parts[0], parts[1]) : ObjectKey.of("default", name);
    }

    @Override
    public ApiResponse handle(ApiRequest request) {
        return cluster.server.rest().handle(request.withUserAgent("user"));
    }

    @Override
    public Instant now() {
        return cluster.clock.now();
    }

    /** Lets time pass; work that becomes due meanwhile is done at its time. */
    @Override
    public void pass(Duration time) {
        Instant end = now().plus(time);
        while (now().isBefore(end)) {
            cluster.settle(loops());
            long left = Duration.between(now(), end).toNanos();
            long due = loops().stream().mapToLong(Cluster::step).min().orElse(Loop.IDLE);
            cluster.clock.advance(Duration.ofNanos(Math.min(due, left)));
        }
    }

    @Override
    public boolean perform(String verb, String object, JsonNode details) {
        String[] words = object.split("/", 2);
        switch (verb) {
            case "CREATE" -> cluster.create(type(object), read(type(object), details));
            case "STORE" -> cluster.store(type(object), read(type(object), details));
            case "REMOVE" -> cluster.remove(type(words[0]), key(type(words[0]), words[1]));
            case "ALL" -> all(type(words[0]), words.length == 1 ? "" : words[1], (ObjectNode) details);
            case "WAIT" -> pass(Duration.parse(object));
            case "JUMP" -> cluster.clock.advance(Duration.parse(object));
            case "FAIL" -> fail(object, details);
            case "WITHHOLD" -> cluster.withhold(type(object));
            case "RELEASE" -> cluster.release(type(object));
            case "DISCOVER" -> cluster.requests.discover(type(object));
            case "HIDE" -> cluster.requests.hide(type(object));
            case "LOSE" -> cluster.requests.failDiscovery(object.equals("nothing")
                    ? new String[0]
                    : new String[]{object});
            case "DEFINE" -> cluster.define(type(object));
            case "UNDEFINE" -> cluster.undefine(type(object));
            case "RESTART" -> {
                controllers.forEach(Controller::close);
                cluster.forgetCaches();
                start(details.isNull() ? server.path("options") : details);
            }
            case "PLAN" -> plan = planned(type(words[0]), key(type(words[0]), words[1]));
            case "FORGET" -> {
                cluster.requests.take();
                cluster.events.clear();
                cluster.measures.clear();
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static KubernetesObject read(ResourceType type, JsonNode details) {
        ObjectNode tree = (ObjectNode) details.deepCopy();
        tree.put("apiVersion", type.apiVersion()).put("kind", type.kind());
        if (type.namespaced() && !tree.at("/metadata/namespace").isString()) {
            tree.withObject("/metadata").put("namespace", "default");
        }
        return type.equals(ResourceType.NODES)
                ? ModelJson.read(tree, V1Node.class)
                : ModelJson.read(tree, Unstructured.class);
    }

    /** Merges fields into all objects whose names have a beginning. */
    private void all(ResourceType type, String beginning, ObjectNode change) {
        for (Unstructured object : cluster.all(type, Unstructured.class)) {
            if (object.getMetadata().getName().startsWith(beginning)) {
                change.propertyNames().forEach(field -> cluster.user().metadata(type).patch(ObjectKey.of(object),
                        field.equals("status") ? "status" : "", PatchType.MERGE,
                        Json.object().set(field, change.get(field)).toString()));
            }
        }
    }

    private void fail(String beginning, JsonNode details) {
        boolean lost = details.path("is").asString("").equals("lost");
        KubeApiException error = lost
                ? new KubeApiException(beginning, new IOException("timed out"))
                : new KubeApiException(beginning, details.path("is").asInt(500),
                        details.path("reason").asString("InternalError"),
                        details.path("says").asString("out of order"), null);
        if (beginning.equals("nothing")) {
            cluster.requests.noFault();
        } else if (lost || details.has("times")) {
            int[] left = {details.path("times").asInt(1), details.path("first").asInt(0)};
            Requests.Fault fault = (verb, type, key) -> (verb + " " + type + " " + key).startsWith(beginning)
                    && left[1]-- <= 0 && left[0]-- > 0 ? error : null;
            cluster.requests.fault(lost ? Requests.Fault.afterwards(fault) : fault);
        } else {
            cluster.requests.failNext(beginning, error);
        }
    }

    private JsonNode planned(ResourceType type, ObjectKey key) {
        try {
            return controllers.stream().flatMap(each -> each.plan(type.groupResource(), key).stream()).findFirst()
                    .map(actions -> ModelJson.tree(actions.stream().flatMap(TranscribedCluster::words).toList()))
                    .orElseGet(() -> Json.object().path("plan"));
        } catch (IllegalArgumentException e) {
            return ModelJson.tree("refused: " + e.getMessage());
        }
    }

    private static Stream<String> words(Action action) {
        return switch (action) {
            case Action.Batch batch -> batch.writes().stream().flatMap(TranscribedCluster::words);
            case Action.Write write -> Stream.of(write.verb() + " " + write.type() + " " + write.target() + ": "
                    + write.why());
            case Action.Event event -> Stream.of("event " + event.reason());
            case Action.RequeueAfter later -> Stream.of("again after " + later.delay());
            default -> Stream.of(action.getClass().getSimpleName());
        };
    }

    @Override
    public void settle(JsonNode step) {
        told.clear();
        switch (step.path("then").asString("")) {
            case "nothing" -> {
            }
            case "deliver" -> cluster.deliver();
            case "deliver one" -> cluster.deliverOne();
            case "work" -> Cluster.work(loops());
            case "one step" -> {
                cluster.deliver();
                Cluster.step(loops().getFirst());
            }
            default -> cluster.settle(loops(), patience);
        }
    }

    /** {@inheritDoc} The requests, writes and Events are those since a step asked for the same. */
    @Override
    public @Nullable JsonNode value(String word) {
        return switch (word) {
            case "writes", "requests" -> {
                told.computeIfAbsent("writes", each -> cluster.requests.writes());
                told.computeIfAbsent("requests", each -> cluster.requests.take());
                yield ModelJson.tree(told.get(word));
            }
            case "events" -> ModelJson.tree(told.computeIfAbsent(word, each -> {
                List<String> texts = cluster.eventTexts();
                cluster.events.clear();
                return texts;
            }));
            case "measures" -> ModelJson.tree(cluster.measures.entrySet().stream()
                    .map(each -> each.getKey() + " " + each.getValue()).toList());
            case "informers" -> ModelJson.tree(cluster.informers().states().stream()
                    .map(each -> each.type().toString()).toList());
            case "plan" -> plan;
            default -> null;
        };
    }

    @Override
    public void close() {
        assertThat(controllers).isNotEmpty();
        controllers.forEach(Controller::close);
        cluster.close();
    }
}
