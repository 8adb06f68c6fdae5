package dev.wheelhouse.manager;

import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;

/**
 * A controller that can be run: its names, its needs and its factory (upstream:
 * {@code cmd/kube-controller-manager/app/controller_descriptor.go}).
 *
 * @param name the name in options, logs and metrics; for a built-in controller upstream's canonical name, such as
 *     {@code deployment-controller}
 * @param aliases further names in options, such as upstream's older name {@code deployment}
 * @param origin where the controller comes from, for messages, such as the name of its class
 * @param requires the types that the API server must serve. The controller is made when all are served, closed when one
 *     of them goes, and made again when it returns
 * @param preparation what has to be done before each life of the controller, such as installing a definition; null for
 *     nothing
 * @param plans whether the controller writes through its context alone, so that it can plan without writing. A
 *     controller that has its own client is not made while the service observes
 * @param isSharded whether all that a key needs and writes is in the key's namespace or has none, and is not written by
 *     the keys of other namespaces; such controllers run once for each shard of the namespaces
 * @param isPrompt whether the controller's handlers wait for nothing and do little more than to put keys into queues.
 *     The prompt handlers of one cache share a thread; each other handler has its own
 * @param factory makes the controller and registers its handlers, before the informers start. It may be called several
 *     times; the controllers that it returned before are closed then. A process that stands by calls it, too, so it
 *     must write nothing; the handlers are called and the loops run only in the process that leads
 */
public record ControllerDescriptor(String name, Set<String> aliases, String origin, Set<ResourceType> requires,
        @Nullable Preparation preparation, boolean plans, boolean isSharded,
        boolean isPrompt, Function<ControllerContext, ? extends Controller> factory) {
    public ControllerDescriptor {
        aliases = Set.copyOf(aliases);
        requires = Set.copyOf(requires);
    }

    /** A controller that is not sharded and whose handlers have threads of their own. */
    public ControllerDescriptor(String name, Set<String> aliases, String origin, Set<ResourceType> requires,
            @Nullable Preparation preparation, boolean plans,
            Function<ControllerContext, ? extends Controller> factory) {
        this(name, aliases, origin, requires, preparation, plans, false, false, factory);
    }

    /** A controller without a preparation. */
    public ControllerDescriptor(String name, Set<String> aliases, String origin, Set<ResourceType> requires,
            boolean plans, Function<ControllerContext, ? extends Controller> factory) {
        this(name, aliases, origin, requires, null, plans, factory);
    }

    /** A controller of types that every API server serves. */
    public ControllerDescriptor(String name, Set<String> aliases,
            Function<ControllerContext, ? extends Controller> factory) {
        this(name, aliases, "a controller of Wheelhouse", Set.of(), true, factory);
    }

    boolean isCalled(String text) {
        return name.equals(text) || aliases.contains(text);
    }
}
