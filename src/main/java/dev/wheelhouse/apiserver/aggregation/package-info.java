/**
 * The servers that extend this one: APIServices that name a Service (upstream: {@code kube-aggregator}).
 * {@link dev.wheelhouse.apiserver.aggregation.Aggregator} answers requests for their groups by a connection to such a
 * server. {@link dev.wheelhouse.apiserver.aggregation.Availability} is the loop that asks each of them whether it is
 * there and what it serves. Their answers are hostile input: each has a limit of bytes and of time.
 */
@NullMarked
package dev.wheelhouse.apiserver.aggregation;

import org.jspecify.annotations.NullMarked;
