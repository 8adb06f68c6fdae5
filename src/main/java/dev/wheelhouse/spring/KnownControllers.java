package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

import dev.wheelhouse.manager.BuiltInControllers;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Operators;

/** All controllers that this process could run: the built-in ones, and those that the application brings along. */
record KnownControllers(List<ControllerDescriptor> all) {
    private static final Logger log = LoggerFactory.getLogger(KnownControllers.class);

    static KnownControllers of(ObjectProvider<Operator<?>> operators, ObjectProvider<UserControllers> others,
            ObjectProvider<ControllerDescriptor> descriptors) {
        List<ControllerDescriptor> all = new ArrayList<>(BuiltInControllers.all());
        operators.orderedStream().forEach(operator -> all.add(Operators.descriptor(operator)));
        others.orderedStream().forEach(source -> all.addAll(source.get()));
        descriptors.orderedStream().forEach(all::add);
        return new KnownControllers(List.copyOf(all));
    }

    /**
     * @param entries the option {@code wheelhouse.controllers}
     * @param service whether the built-in controllers are on by default, as in a {@link StandaloneService}
     */
    List<ControllerDescriptor> selected(List<String> entries, boolean service) {
        ControllerSelection.missing(entries, all).forEach(missing -> log.warn(
                "wheelhouse.controllers: {} is not part of Wheelhouse. {}", missing.name(), missing.without()));
        try {
            return ControllerSelection.select(entries, all,
                    descriptor -> service || !BuiltInControllers.all().contains(descriptor));
        } catch (IllegalArgumentException e) {
            throw new BadOption(String.valueOf(e.getMessage()));
        }
    }

    /** @param workersOf the options {@code wheelhouse.workers-of}, by name or alias; the result is by name */
    Map<String, Integer> workers(Map<String, Integer> workersOf) {
        Map<String, Integer> workers = new HashMap<>();
        workersOf.forEach((called, count) -> {
            try {
                workers.put(ControllerSelection.nameOf(called, all), count);
            } catch (IllegalArgumentException e) {
                throw new BadOption("wheelhouse.workers-of." + called + ": " + e.getMessage());
            }
        });
        return workers;
    }
}
