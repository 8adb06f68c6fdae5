package dev.wheelhouse.cel;

import dev.cel.runtime.CelRuntime;

/** A compiled expression, with the parts of it that must be scalars. Immutable, thread safe. */
record CelProgram(CelRuntime.Program program, ScalarParts scalars) {}
