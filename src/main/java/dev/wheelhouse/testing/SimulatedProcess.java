package dev.wheelhouse.testing;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesObject;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ForwardingWatchStream;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ListPage;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.WatchEvent;
import dev.wheelhouse.client.WatchOptions;
import dev.wheelhouse.client.WatchStream;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.FailingKey;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.manager.ControllerDescriptor;

/**
 * One process of the operator in a simulated run. All its calls of the API server pass here: they are told in the
 * story, counted as places for faults, and struck by the run's fault.
 */
final class SimulatedProcess implements Interceptor, AutoCloseable {
    /** Objects that every namespace, or every cluster, has. They would only lengthen the stories. */
    private static final Set<String> EVERYWHERE = Set.of("kube-root-ca.crt", "kubernetes");
    private static final int SHOWN_OBJECTS = 4;
    private static final int SHOWN_BODY = 160;

    private final SimulatedRun run;
    private final String name;
    private final ControllerProcess process;
    private final Map<ResourceType, List<WatchEvent<?>>> held = new HashMap<>();
    private boolean crashed;
    private boolean frozen;

    /** @param detectMutations whether to compare the cached objects with what they were; it takes time */
    SimulatedProcess(SimulatedRun run, String name, KubeClient client, ControllerDescriptor descriptor, long seed,
            boolean detectMutations) {
        this.run = run;
        this.name = name;
        this.process = ControllerProcess.stepped(new InterceptedClient(client, this), run.clock(), List.of(descriptor),
                0, wiring -> wiring.metrics(new ToldSyncs(this)).caches(
                        InformerOptions.builder().batch(1).seed(seed).detectMutations(detectMutations).build()));
    }

    ControllerProcess process() {
        return process;
    }

    boolean isCrashed() {
        return crashed;
    }

    @Override
    public String toString() {
        return name;
    }

    // ---- the story of a reconciliation

    void begins(ObjectKey key) {
        run.tell(name + " reconciles " + key + "; its caches show " + caches(key));
        run.reconciling(key);
    }

    void ends() {
        run.reconciling(null);
    }

    /** The keys whose last reconciliation failed. */
    List<FailingKey> failing() {
        return process.manager().states().stream().flatMap(state -> state.failing().stream()).toList();
    }

    private String caches(ObjectKey key) {
        List<String> shown = new ArrayList<>();
        for (Controller controller : process.manager().controllers()) {
            for (SharedIndexInformer<?> informer : controller.informers()) {
                String namespace = informer.type().namespaced() ? key.namespace() : "";
                List<String> objects = informer.getIndexer().list(namespace).stream()
                        .map(o -> ((KubernetesObject) o).getMetadata())
                        .filter(meta -> !EVERYWHERE.contains(String.valueOf(meta.getName())))
                        .map(meta -> meta.getName() + " (version " + meta.getResourceVersion() + ")").sorted().toList();
                shown.add(objects.isEmpty()
                        ? "no " + informer.type().kind()
                        : informer.type().kind() + " " + objects.stream().limit(SHOWN_OBJECTS)
                                .collect(Collectors.joining(", "))
                                + (objects.size() > SHOWN_OBJECTS ? ", … (" + objects.size() + ")" : ""));
            }
        }
        return String.join("; ", shown);
    }

    // ---- calls of the API server

    @Override
    public <R> R write(WriteRequest request, Supplier<R> call) {
        refuseAfterCrash(request.toString());
        if (request.type().equals(ResourceType.EVENTS)) {
            return call.get();
        }
        SimulatedFault fault = run.strikes(request);
        return fault == null ? carryOut(request, call) : strike(fault, request, call);
    }

    private <R> R strike(SimulatedFault fault, WriteRequest request, Supplier<R> call) {
        String what = said(request);
        switch (fault) {
            case CRASH_BEFORE_WRITE -> {
                run.turn("CRASH: " + name + " ends before it can " + what);
                return crash(what);
            }
            case UPGRADE -> {
                run.turn("UPGRADE: the next version replaces " + name + " before it can " + what);
                run.upgrade();
                return crash(what);
            }
            case CRASH_AFTER_WRITE -> {
                R unused = carryOut(request, call);
                run.turn("CRASH: " + name + " ends before it gets the answer");
                return crash(what);
            }
            case CONFLICT -> {
                run.turn("CONFLICT: " + name + " wants to " + what + ", and is refused");
                throw new KubeApiException(what, 409, "Conflict", "the object has been modified (a simulated conflict)",
                        null);
            }
            case SERVER_ERROR -> {
                run.turn("ERROR: " + name + " wants to " + what + ", and the server fails");
                throw new KubeApiException(what, 500, "InternalError", "a simulated failure of the server", null);
            }
            case LOST_REQUEST -> {
                run.turn("LOST REQUEST: " + name + " wants to " + what
                        + ", gets no answer, and the request does not arrive");
                throw silence(what);
            }
            case LOST_ANSWER -> {
                R unused = carryOut(request, call);
                run.turn("LOST ANSWER: " + name + " does not get the answer");
                throw silence(what);
            }
            case TWO_LEADERS -> {
                run.turn("TWO LEADERS: " + name + " stands still before it can " + what + ", and loses the lead");
                frozen = true;
                process.halt(true);
                run.takeOver(this);
                process.halt(false);
                run.turn("TWO LEADERS: " + name + " goes on with its old memory and caches");
                return carryOut(request, call);
            }
            default -> throw new IllegalStateException(fault + " is not a fault of writes");
        }
    }

    private <R> R crash(String what) {
        crashed = true;
        process.halt(true);
        throw silence(what);
    }

    private <R> R carryOut(WriteRequest request, Supplier<R> call) {
        boolean isNew = !run.exists(request.type(), request.key());
        try {
            R answer = call.get();
            run.tell(name + " " + verb(request.verb()) + said(request).substring(request.verb().length())
                    + version(answer));
            if (isNew && answer instanceof KubernetesObject created) {
                run.created(request.type(), ObjectKey.of(created));
            }
            return answer;
        } catch (KubeApiException e) {
            run.tell(name + " wants to " + said(request) + " -> " + e.code() + " " + e.reason() + ": "
                    + e.statusMessage());
            throw e;
        }
    }

    private static String version(Object answer) {
        return answer instanceof KubernetesObject object
                ? " -> version " + object.getMetadata().getResourceVersion()
                : "";
    }

    /** The third person of a verb, such as {@code patches}. */
    private static String verb(String infinitive) {
        return switch (infinitive) {
            case "apply" -> "applies";
            case "patch" -> "patches";
            default -> infinitive + "s";
        };
    }

    private static String said(WriteRequest request) {
        String body = switch (request.payload()) {
            case String patch -> patch;
            case KubernetesObject object -> ModelJson.write(object);
            default -> "";
        };
        String target = request.verb() + " " + request.type().kind()
                + (request.subresource().isEmpty() ? "" : "/" + request.subresource()) + " " + request.key();
        return target + (body.isEmpty() ? "" : " " + shortened(body));
    }

    /** A body without its metadata, which the sentence names already. */
    private static String shortened(String body) {
        String plain = body;
        if (body.startsWith("{") && ModelJson.read(body, Object.class) instanceof Map<?, ?> object) {
            Map<Object, Object> rest = new LinkedHashMap<>(object);
            List.of("apiVersion", "kind", "metadata").forEach(rest::remove);
            plain = rest.isEmpty() ? body : ModelJson.write(rest);
        }
        return plain.length() <= SHOWN_BODY ? plain : plain.substring(0, SHOWN_BODY) + "…";
    }

    @Override
    public <R> R get(ResourceType type, ObjectKey key, Supplier<R> call) {
        refuseAfterCrash("get " + type + " " + key);
        try {
            R answer = call.get();
            run.tell(name + " reads " + type.kind() + " " + key + " from the server"
                    + version(answer));
            return answer;
        } catch (KubeApiException e) {
            run.tell(name + " reads " + type.kind() + " " + key + " from the server -> " + e.code());
            throw e;
        }
    }

    @Override
    public <T> ListPage<T> list(ResourceType type, String scope, ListOptions options, Supplier<ListPage<T>> call) {
        refuseAfterCrash("list " + type);
        ListPage<T> page = call.get();
        if (run.reconciling() != null) {
            run.tell(name + " lists " + type.plural() + " from the server -> " + page.items().size() + " at version "
                    + page.resourceVersion());
        }
        return page;
    }

    private void refuseAfterCrash(String what) {
        if (crashed) {
            throw silence(what);
        }
    }

    private static KubeApiException silence(String what) {
        return new KubeApiException(what, new SocketTimeoutException("no answer (simulated)"));
    }

    @Override
    public <T> WatchStream<T> watch(ResourceType type, WatchOptions options, Supplier<WatchStream<T>> call) {
        refuseAfterCrash("watch " + type);
        return new Watch<>(call.get(), type);
    }

    @Override
    public void close() {
        process.halt(true);
        process.close();
    }

    /** A watch of the operator's process. */
    private final class Watch<T> extends ForwardingWatchStream<T> {
        private final ResourceType type;
        private boolean cut;

        Watch(WatchStream<T> behind, ResourceType type) {
            super(behind);
            this.type = type;
        }

        @Override
        public @Nullable WatchEvent<T> next(Duration maxWait) throws InterruptedException {
            if (crashed || frozen || cut || run.isLate(type)) {
                return null;
            }
            List<WatchEvent<?>> late = held.get(type);
            if (late != null && !late.isEmpty()) {
                @SuppressWarnings("unchecked") // A watch of the same type held it back.
                WatchEvent<T> event = (WatchEvent<T>) late.removeFirst();
                return told(event);
            }
            WatchEvent<T> event = super.next(maxWait);
            if (event == null || event instanceof WatchEvent.Bookmark) {
                return event;
            }
            SimulatedFault fault = run.strikesEvent();
            if (fault == null) {
                return told(event);
            }
            switch (fault) {
                case LATE_WATCH -> {
                    run.turn("LATE WATCH: the watch of " + type.plural() + " is late from now on; it would tell that "
                            + said(event));
                    run.late(type);
                    held.computeIfAbsent(type, t -> new ArrayList<>()).add(event);
                    return null;
                }
                case CUT_WATCH -> run.turn("CUT WATCH: the watch of " + type.plural() + " breaks before it can tell"
                        + " that " + said(event));
                default -> {
                    run.turn("EXPIRED WATCH: the watch of " + type.plural() + " breaks before it can tell that "
                            + said(event) + ", and the server forgets all old versions");
                    run.forgetVersions();
                }
            }
            cut = true;
            throw new KubeApiException("watch " + type, new IOException("connection reset (simulated)"));
        }

        private WatchEvent<T> told(WatchEvent<T> event) {
            run.tell("the cache of " + name + " learns that " + said(event));
            return event;
        }

        private String said(WatchEvent<T> event) {
            return switch (event) {
                case WatchEvent.Added<T> added -> said(added.object()) + " exists";
                case WatchEvent.Modified<T> modified -> said(modified.object()) + " has changed";
                case WatchEvent.Deleted<T> deleted -> said(deleted.object()) + " was deleted";
                default -> "the watch has an error";
            };
        }

        private String said(T object) {
            return object instanceof KubernetesObject o
                    ? type.kind() + " " + ObjectKey.of(o) + " (version " + o.getMetadata().getResourceVersion() + ")"
                    : type.kind();
        }

        @Override
        public boolean isEnded() {
            return cut || super.isEnded();
        }
    }
}
