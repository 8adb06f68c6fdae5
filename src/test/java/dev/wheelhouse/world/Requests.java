package dev.wheelhouse.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.testing.Interceptor;
import dev.wheelhouse.testing.WriteRequest;

/**
 * The requests of the code under test: recorded in order, and failed where the test says so. A request is a line such
 * as {@code patch pods/status default/web} and its detail: the body of a patch, the options of a deletion. Not thread
 * safe.
 */
public final class Requests implements Interceptor {
    private static final Set<String> READS = Set.of("get", "list", "watch");

    private final List<Sent> sent = new ArrayList<>();
    private final Map<String, List<KubeApiException>> failures = new LinkedHashMap<>();
    private final List<ResourceType> discovered = new ArrayList<>();
    private final List<String> discoveryFailures = new ArrayList<>();
    private Fault fault = Fault.NONE;

    private record Sent(String verb, String line) {}

    /** Fails requests before or after the server executes them. */
    @FunctionalInterface
    public interface Fault {
        Fault NONE = (verb, type, key) -> null;

        /** @return the error to return instead of executing the request; null to execute it */
        @Nullable
        KubeApiException before(String verb, ResourceType type, ObjectKey key);

        /** @return the error to return although the request was executed; null to return the answer */
        default @Nullable KubeApiException after(String verb, ResourceType type, ObjectKey key) {
            return null;
        }

        /** Executes the requests, and then returns the errors of {@code late}. */
        static Fault afterwards(Fault late) {
            return new Fault() {
                @Override
                public @Nullable KubeApiException before(String verb, ResourceType type, ObjectKey key) {
                    return null;
                }

                @Override
                public @Nullable KubeApiException after(String verb, ResourceType type, ObjectKey key) {
                    return late.before(verb, type, key);
                }
            };
        }

        /** Fails the requests of one verb and type. */
        static Fault on(String verb, ResourceType type, Supplier<@Nullable KubeApiException> error) {
            return (asked, askedType, key) -> asked.equals(verb) && askedType.equals(type) ? error.get() : null;
        }
    }

    /** @param types the types that discovery names; none for all that the server has */
    Requests(ResourceType... types) {
        discovered.addAll(List.of(types));
    }

    /** Replaces the faults of all further requests. */
    public void fault(Fault next) {
        fault = next;
    }

    public void noFault() {
        fault(Fault.NONE);
    }

    /** Lets the next request fail whose line starts with a text, such as {@code "delete pods default/web"}. */
    public void failNext(String beginning, int code, String reason, String message) {
        failNext(beginning, new KubeApiException(beginning, code, reason, message, null));
    }

    public void failNext(String beginning, KubeApiException error) {
        failures.computeIfAbsent(beginning, k -> new ArrayList<>()).add(error);
    }

    /** The lines since the last call of a {@code take} method. */
    public List<String> take() {
        List<String> lines = sent.stream().map(Sent::line).toList();
        sent.clear();
        return lines;
    }

    /** Like {@link #take()}, without the reads. */
    public List<String> takeWrites() {
        List<String> lines = writes();
        sent.clear();
        return lines;
    }

    /** The writes since the last call of a {@code take} method, which stay. */
    public List<String> writes() {
        return sent.stream().filter(s -> !READS.contains(s.verb)).map(Sent::line).toList();
    }

    /** Adds a type to those that discovery names. */
    public void discover(ResourceType type) {
        discovered.add(type);
    }

    /** Removes a type from those that discovery names. */
    public void hide(ResourceType type) {
        discovered.remove(type);
    }

    /** Lets discovery fail for some groups until the next call. */
    public void failDiscovery(String... groups) {
        discoveryFailures.clear();
        discoveryFailures.addAll(List.of(groups));
    }

    private <R> R call(String verb, ResourceType type, String subresource, ObjectKey key, String detail,
            Supplier<R> work) {
        String line = verb + " " + type + (subresource.isEmpty() ? "" : "/" + subresource) + " " + key
                + (detail.isEmpty() ? "" : " " + detail);
        sent.add(new Sent(verb, line));
        failIfWanted(line);
        Fault now = fault;
        fail(now.before(verb, type, key));
        R answer = work.get();
        fail(now.after(verb, type, key));
        return answer;
    }

    private void failIfWanted(String line) {
        failures.forEach((beginning, errors) -> {
            if (!errors.isEmpty() && line.startsWith(beginning)) {
                throw errors.removeFirst();
            }
        });
    }

    /** {@inheritDoc} The line of a path is {@code read /apis/apps/v1}. It is not kept. */
    @Override
    public JsonNode read(String path, Map<String, String> query, Supplier<JsonNode> call) {
        failIfWanted("read " + path);
        return call.get();
    }

    private static void fail(@Nullable KubeApiException error) {
        if (error != null) {
            throw error;
        }
    }

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
        String detail = switch (request.payload()) {
            case String patch -> patch;
            case Deletion deletion -> options(deletion);
            default -> "";
        };
        return call(request.verb(), request.type(), request.subresource(), request.key(), detail, call);
    }

    /**
     * The options of a deletion. The server checks the values of UID and version, so that their presence says enough.
     */
    private static String options(Deletion deletion) {
        List<String> options = new ArrayList<>();
        if (deletion.propagation() != null) {
            options.add(deletion.propagation());
        }
        if (deletion.uid() != null) {
            options.add("uid");
        }
        if (deletion.resourceVersion() != null) {
            options.add("version");
        }
        return String.join(" ", options);
    }

    @Override
    public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        return call("get", type, "", key, "", call);
    }

    @Override
    public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options, Supplier<ListPage<T>> call) {
        return call("list", type, "", new ObjectKey(scope.split(" ", -1)[1], "*"), "", call);
    }

    @Override
    public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
        return call("watch", type, "", new ObjectKey("", "*"), "", call);
    }

    @Override
    public KubeClient.Discovered discover(Supplier<KubeClient.Discovered> call) {
        return discovered.isEmpty() && discoveryFailures.isEmpty()
                ? call.get()
                : new KubeClient.Discovered(List.copyOf(discovered), List.of(), List.copyOf(discoveryFailures));
    }
}
