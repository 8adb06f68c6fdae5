package dev.wheelhouse.controllers.garbagecollector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/** A question of a decision: an object whose live metadata it needs. */
record Question(ResourceType type, ObjectKey key) {}
