package dev.wheelhouse.controllers.garbagecollector;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;

/** An object whose live metadata a decision needs. */
record Question(ResourceType type, ObjectKey key) {}
