package dev.wheelhouse.manager;

import java.util.Set;
import java.util.function.Function;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.controller.ControllerContext;

/**
 * A controller that can be run: its names and its factory (upstream:
 * {@code cmd/kube-controller-manager/app/controller_descriptor.go}).
 *
 * @param name upstream's canonical name, such as {@code deployment-controller}
 * @param aliases upstream's older names, such as {@code deployment}
 * @param factory makes the controller and registers its handlers, before the informers start
 */
public record ControllerDescriptor(String name, Set<String> aliases,
        Function<ControllerContext, ? extends Controller> factory) {
    public ControllerDescriptor {
        aliases = Set.copyOf(aliases);
    }

    boolean isCalled(String text) {
        return name.equals(text) || aliases.contains(text);
    }
}
