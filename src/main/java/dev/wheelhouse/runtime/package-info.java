/**
 * Time, loops, and the threads that drive the loops. Start with {@link dev.wheelhouse.runtime.Loop}, an activity that
 * is cut into steps, and {@link dev.wheelhouse.runtime.LoopRunner}, which gives each loop a thread and ends all threads
 * on close. Only {@code LoopRunner} makes threads for loops. Only the thread that steps a loop touches the loop's
 * state, except where a type says that it is thread safe. Time comes from a {@link dev.wheelhouse.runtime.Clock}; a
 * test passes one that it moves by hand. {@link dev.wheelhouse.runtime.Signal} wakes a loop,
 * {@link dev.wheelhouse.runtime.Backoff} spaces its retries, and {@link dev.wheelhouse.runtime.LogBudget} limits its
 * log lines. Six helpers have no better place below all packages: {@link dev.wheelhouse.runtime.SafeYaml} reads YAML
 * as Go does, within limits, {@link dev.wheelhouse.runtime.ProtobufOutput} writes protobuf,
 * {@link dev.wheelhouse.runtime.Resources} reads the texts beside a class,
 * {@link dev.wheelhouse.runtime.PrivateFiles} writes files that only their owner may read,
 * {@link dev.wheelhouse.runtime.OneLine} makes the texts of others fit for the log, and
 * {@link dev.wheelhouse.runtime.DidYouMean} knows the right word for a misspelt one.
 */
@NullMarked
package dev.wheelhouse.runtime;

import org.jspecify.annotations.NullMarked;
