package dev.wheelhouse.manager;

import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.informer.ScopedInformers;

/** Contexts as a manager makes them, for controllers that a test makes. */
public final class Lives {
    private Lives() {}

    /** The context of one life of a built-in controller. */
    public static ControllerContext context(ControllerContext behind) {
        return new LifeContext("test", behind,
                new ScopedInformers(behind.informers(), new ScopedInformers.Sharing(), true, true), null);
    }
}
