/**
 * The defaults of objects, for whoever reads them without an API server, too: {@code TypeDefaults} walks along the
 * schema, {@code PodDefaults} has the rules of pods, and {@code DefaultRules} the steps that rules take.
 */
@NullMarked
package dev.wheelhouse.apiserver.defaults;

import org.jspecify.annotations.NullMarked;
