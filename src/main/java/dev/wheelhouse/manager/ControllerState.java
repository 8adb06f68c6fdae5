package dev.wheelhouse.manager;

import java.util.List;

import dev.wheelhouse.controller.FailingKey;

/**
 * The state of one controller at one moment, for health and endpoints.
 *
 * @param name the controller's name, with the shard if the controller runs for one
 * @param controller the controller's name alone
 * @param doing {@code starting}, {@code standing by}, {@code running}, {@code observing}, or a sentence that says why
 *     it does not run
 * @param blocked a sentence for each sync that has run for so long that it seems to block
 * @param failingKeys the number of keys whose last sync failed
 * @param failing some of these keys
 */
public record ControllerState(String name, String controller, String doing, List<String> blocked, int failingKeys,
        List<FailingKey> failing) {}
