/** The built-in controllers, each in a subpackage, and {@link dev.wheelhouse.controllers.ControllerOptions}. */
@NullMarked
package dev.wheelhouse.controllers;

import org.jspecify.annotations.NullMarked;
