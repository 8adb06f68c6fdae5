package dev.wheelhouse.spring.client;

import dev.wheelhouse.manager.ControllerDescriptor;

/** A controller of the official client that the manager runs. */
public interface OfficialController {
    /** Describes this controller for the manager. */
    ControllerDescriptor descriptor();
}
