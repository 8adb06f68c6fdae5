package dev.wheelhouse.spring;

import java.util.List;
import java.util.function.Supplier;

import dev.wheelhouse.manager.ControllerDescriptor;

/** A source of controllers that the application brings along. It is asked once, after all its beans can be made. */
interface UserControllers extends Supplier<List<ControllerDescriptor>> {}
