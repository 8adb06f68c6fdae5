package dev.wheelhouse.operator;

import java.util.Collection;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.LabelSelector;

/** How an operator chooses its namespaces while it runs: by their labels, or else by names. */
record NamespaceChoice(@Nullable LabelSelector labels, @Nullable Supplier<? extends Collection<String>> names) {}
