package dev.wheelhouse.apiserver.aggregation;

import java.io.IOException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.discovery.Elsewhere;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.protocol.ApiResponse.Live;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.StoreException;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.webhook.WebhookClient;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.SignalledLoop;

/**
 * Asks the servers of APIServices whether they are there and what they serve, when one of the objects changes and every
 * half minute; a server that fails is asked more often (upstream: {@code kube-aggregator/pkg/controllers/status},
 * {@code handler_discovery.go}, {@code controllers/openapi}). All that are due are asked at once.
 */
public final class Availability extends SignalledLoop {
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration PERIOD = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String JSON = "application/json";
    private static final String AGGREGATED = JSON + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," + JSON
            + ";g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

    private final Aggregator aggregator;
    private final ObjectStore store;
    private final Live.Caller caller;
    private final Clock clock;
    private final Map<String, Look> looks = new ConcurrentHashMap<>();

    /** The objects that decide where a server is. Versions of stored objects are compared as instances. */
    private record Basis(JsonNode spec, @Nullable StoredObject service, List<StoredObject> slices) {}

    /**
     * The last answers of a server.
     *
     * @param next the time of the clock at which it is asked again
     * @param pause until then
     * @param entry its group version in aggregated discovery; null if it could not be asked
     * @param openApi the documents of OpenAPI v3, by their paths
     * @param v2 its part of OpenAPI v2; null if it has none
     * @param tag of the document that v2 is from
     */
    private record Look(Basis basis, long next, Duration pause, Checks.Verdict verdict, @Nullable ObjectNode entry,
            Map<String, String> openApi, @Nullable ObjectNode v2, String tag) {}

    public Availability(Aggregator aggregator, ObjectStore store, Live.Caller caller, Clock clock) {
        this.aggregator = aggregator;
        this.store = store;
        this.caller = caller;
        this.clock = clock;
    }

    @Override
    public long step() {
        if (isClosed()) {
            return IDLE;
        }
        Aggregator.Registered now = aggregator.registered();
        looks.keySet().retainAll(now.remotes().keySet());
        try (ExecutorService threads = Executors
                .newThreadPerTaskExecutor(Thread.ofVirtual().name("apiservices-", 0).factory())) {
            for (Remote remote : now.remotes().values()) {
                Basis basis = new Basis(remote.spec(),
                        store.get("services", remote.namespace(), remote.service()),
                        aggregator.services().slices(remote.namespace(), remote.service()));
                Look before = looks.get(remote.name());
                if (before == null || !before.basis.equals(basis) || clock.nanoTime() - before.next >= 0) {
                    threads.execute(() -> looks.put(remote.name(), look(remote, basis, before)));
                }
            }
        }
        try {
            now.all().stream().filter(each -> each.isLocal() && !each.reason().equals(Checks.Verdict.LOCAL.reason()))
                    .forEach(local -> write(local.name(), Checks.Verdict.LOCAL));
            looks.forEach((name, look) -> write(name, look.verdict));
        } catch (StoreException.Failed | StoreException.Closed e) {
            return BETWEEN_LOOKS.toNanos();
        }
        publish(now);
        return BETWEEN_LOOKS.toNanos();
    }

    private Look look(Remote remote, Basis basis, @Nullable Look before) {
        Checks.Verdict verdict = Checks.ofService(remote, basis.service == null ? null : basis.service.tree(),
                basis.slices.stream().<JsonNode>map(StoredObject::tree).toList());
        ObjectNode entry = null;
        Map<String, String> openApi = Map.of();
        String tag = before == null || before.v2 == null ? "" : before.tag;
        ObjectNode v2 = null;
        if (verdict == null) {
            String url = "https://" + remote.service() + "." + remote.namespace() + ".svc" + remote.path();
            try {
                url = "https://" + aggregator.to(remote, "", Map.of()).authority() + remote.path();
                ApiResponse.Content answer = get(remote, remote.path(), JSON, "");
                verdict = answer.code() < 200 || answer.code() > 299
                        ? Checks.noAnswer(url, "bad status from " + url + ": " + answer.code())
                        : Checks.Verdict.PASSED;
                entry = entry(remote, read(answer));
                openApi = openApi(remote);
                ApiResponse.Content document = get(remote, "/openapi/v2", JSON, tag);
                v2 = document.code() == 304 && before != null
                        ? before.v2
                        : Elsewhere.part(read(document), remote.path() + "/");
                tag = document.headers().entrySet().stream().filter(each -> each.getKey().equalsIgnoreCase("ETag"))
                        .map(Map.Entry::getValue).findFirst().orElse("");
            } catch (UnknownHostException e) {
                verdict = Checks.Verdict.failed("FailedDiscoveryCheck", String.valueOf(e.getMessage()));
            } catch (IOException e) {
                verdict = verdict != null ? verdict : Checks.noAnswer(url, "Get \"" + url + "\": " + e.getMessage());
            } catch (IllegalArgumentException e) {
                verdict = Checks.noAnswer(url, WebhookClient.UNREADABLE);
            }
        }
        Duration pause = verdict.available()
                ? PERIOD
                : before == null || before.verdict.available() ? FIRST_RETRY : before.pause.multipliedBy(2);
        pause = pause.compareTo(PERIOD) < 0 ? pause : PERIOD;
        return new Look(basis, clock.deadline(pause), pause, verdict, entry, openApi, v2, tag);
    }

    private ApiResponse.Content get(Remote remote, String path, String accept, String tag) throws IOException {
        return caller.get(aggregator.to(remote, path, tag.isEmpty()
                ? Map.of("Accept", List.of(accept))
                : Map.of("Accept", List.of(accept), "If-None-Match", List.of(tag))), PATIENCE);
    }

    /** The document of an answer; an empty object if it is none. */
    private static JsonNode read(ApiResponse.Content answer) {
        try {
            return answer.code() == 200 ? Json.read(answer.body()) : Json.object();
        } catch (JacksonException e) {
            return Json.object();
        }
    }

    /**
     * The group version in the form of aggregated discovery.
     *
     * @param list the APIResourceList, from which servers without that form are known
     */
    private ObjectNode entry(Remote remote, JsonNode list) throws IOException {
        JsonNode groups = read(get(remote, "/apis", AGGREGATED, ""));
        if (!Json.text(groups, "kind").equals("APIGroupDiscoveryList")) {
            return Elsewhere.entry(remote.version(), list);
        }
        return groups.path("items").valueStream()
                .filter(group -> Json.text(group, "metadata", "name").equals(remote.group()))
                .flatMap(group -> group.path("versions").valueStream())
                .filter(each -> Json.text(each, "version").equals(remote.version()))
                .filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast)
                .findFirst().orElseGet(() -> Json.object().put("version", remote.version()))
                .put("freshness", "Current");
    }

    private Map<String, String> openApi(Remote remote) throws IOException {
        Map<String, String> documents = new LinkedHashMap<>();
        JsonNode paths = read(get(remote, "/openapi/v3", JSON, "")).path("paths");
        for (String path : List.of("apis/" + remote.group(), remote.path().substring(1))) {
            String url = Json.text(paths, path, "serverRelativeURL");
            if (url.startsWith("/openapi/v3/" + path)) {
                documents.put(path, url);
            }
        }
        return documents;
    }

    private void write(String name, Checks.Verdict verdict) {
        store.guaranteedUpdate(Aggregator.RESOURCE, "", name, service -> {
            ObjectNode status = Json.child(service, "status");
            ArrayNode conditions = status.get("conditions") instanceof ArrayNode list
                    ? list
                    : status.putArray("conditions");
            ObjectNode condition = conditions.valueStream().filter(ObjectNode.class::isInstance)
                    .map(ObjectNode.class::cast).filter(each -> Json.text(each, "type").equals("Available"))
                    .findFirst().orElseGet(() -> conditions.addObject().put("type", "Available"));
            ObjectNode before = condition.deepCopy();
            String truth = verdict.available() ? "True" : "False";
            if (!Json.text(condition, "status").equals(truth)) {
                condition.put("status", truth).put("lastTransitionTime", Meta.time(clock.now()));
            }
            condition.put("reason", verdict.reason()).put("message", verdict.message());
            return !condition.equals(before);
        });
    }

    private void publish(Aggregator.Registered now) {
        Map<String, ObjectNode> entries = new TreeMap<>();
        Map<String, Long> priorities = new HashMap<>();
        Map<String, String> openApi = new TreeMap<>();
        List<ObjectNode> v2 = new ArrayList<>();
        for (Remote each : now.all()) {
            priorities.merge(each.group(), each.groupPriority(), Math::max);
            priorities.put(each.group() + "/" + each.version(), each.versionPriority());
            Look look = looks.get(each.name());
            if (look != null) {
                entries.put(each.group() + "/" + each.version(), look.entry != null
                        ? look.entry
                        : Json.object().put("version", each.version()).put("freshness", "Stale"));
                openApi.putAll(look.openApi);
                if (look.v2 != null) {
                    v2.add(look.v2);
                }
            }
        }
        Elsewhere found = entries.isEmpty() ? Elsewhere.NOTHING : new Elsewhere(entries, priorities, openApi, v2);
        if (!found.equals(aggregator.elsewhere())) {
            aggregator.found(found);
        }
    }
}
