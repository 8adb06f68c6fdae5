package dev.wheelhouse.spring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;

import dev.wheelhouse.builtin.BuiltInControllers;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.manager.ControllerDescriptor;
import dev.wheelhouse.manager.ControllerSelection;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Operators;

/** All controllers that this process could run: the built-in ones, and those that the application brings along. */
record KnownControllers(List<ControllerDescriptor> all) {
    /** The workers of a controller for which upstream has no flag. */
    private static final int WORKERS = 5;
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
     * @param service whether {@code *} stands for upstream's default set too, as in a {@link StandaloneService}
     */
    List<ControllerDescriptor> selected(List<String> entries, boolean service) {
        ControllerSelection.missing(entries, all).forEach(missing -> log.warn(
                "wheelhouse.controllers: {} is not part of Wheelhouse. {}", missing.name(), missing.without()));
        return BadOption.checked("", () -> ControllerSelection.select(entries, all,
                descriptor -> service && BuiltInControllers.byDefault().contains(descriptor)
                        || !BuiltInControllers.all().contains(descriptor)));
    }

    /**
     * The numbers of workers. An option of the controller counts before its own default, and that before
     * {@code wheelhouse.workers}. A controller with a flag of kube-controller-manager has no other default.
     */
    ControllerContext.Workers workers(WheelhouseProperties properties, ControllerManagerFlags flags) {
        Map<String, Integer> named = named(properties.workersOf());
        Map<String, Integer> flagged = flags.workers();
        Integer ofAll = properties.workers();
        return (controller, preset) -> named.getOrDefault(controller,
                preset != null && !flagged.containsKey(controller)
                        ? preset
                        : ofAll != null ? ofAll : flagged.getOrDefault(controller, WORKERS));
    }

    private Map<String, Integer> named(Map<String, Integer> workersOf) {
        Map<String, Integer> workers = new HashMap<>();
        workersOf.forEach((called, count) -> workers.put(BadOption.checked("wheelhouse.workers-of." + called + ": ",
                () -> ControllerSelection.nameOf(called, all)), count));
        return workers;
    }
}
